"""Who plays a match: all its players, or none yet, or those that have not lost it beforehand."""

from dataclasses import dataclass

from arena.event.play.attendance import Attendance
from arena.event.play.voids import Voids
from arena.event.play.withdrawal import Withdrawals
from arena.schedule.pairing import Pairing
from protocol.vocabulary import Termination
from referee.job import Absence


@dataclass(frozen=True)
class Lineup:
    """Knows why a player does not play a match."""

    voids: Voids
    withdrawals: Withdrawals
    attendance: Attendance

    def absences(self, pairing: Pairing) -> list[Absence]:
        """Return the seats that lose a match before its begin."""
        withdrawn, voids = self.withdrawals.reasons, self.voids.absences(pairing.key)
        if not (withdrawn or voids) and self.attendance.is_complete:
            return []
        lost = {absence.seat: absence for absence in voids}
        for seat, player in enumerate(pairing.players):
            detail = self.attendance.absence(player)
            if player in withdrawn:
                detail = f"withdrawn after {withdrawn[player]}"
            if detail is not None:
                lost[seat] = Absence(seat=seat, termination=Termination.NO_SHOW, detail=detail)
        return [lost[seat] for seat in sorted(lost)]

    def is_awaited(self, pairing: Pairing) -> bool:
        """Whether a match waits for a remote player that is out of reach."""
        if self.attendance.is_complete or self.voids.absences(pairing.key):
            return False
        withdrawn = self.withdrawals.reasons
        return any(self.attendance.is_awaited(p) for p in pairing.players if p not in withdrawn)
