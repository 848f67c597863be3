"""Seasons with deadlines and finals; a published rating names its season."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Min

from arena.league.site.append_only import allow, refuse

_POINTS = ("league_ratingpoint", "UPDATE")


def _allow(_: Any, editor: Any) -> None:
    allow(editor, *_POINTS)


def _refuse(_: Any, editor: Any) -> None:
    refuse(editor, *_POINTS)


def _name_season(apps: Any, _: Any) -> None:
    """Give the ratings of before a season, whose name the director will fill in."""
    points = apps.get_model("league", "RatingPoint").objects
    if (began := points.aggregate(began=Min("happened"))["began"]) is not None:
        season = apps.get_model("league", "Season").objects.create(name="", began=began)
        points.update(season=season)


def _key(to: str, related: str, *, is_optional: bool = False) -> models.ForeignKey:
    return models.ForeignKey(
        null=is_optional,
        on_delete=django.db.models.deletion.PROTECT,
        related_name=related,
        to=f"league.{to}",
    )


def _number() -> models.BigAutoField:
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


class Migration(migrations.Migration):
    dependencies = [("league", "0005_machine_void")]

    operations = [
        migrations.CreateModel(
            name="Season",
            fields=[
                ("id", _number()),
                ("name", models.CharField(max_length=200, unique=True)),
                ("began", models.DateTimeField()),
                ("ended", models.DateTimeField(null=True)),
                ("deadline", models.DateTimeField(null=True)),
                ("late", models.CharField(default="unranked", max_length=10)),
                ("frozen", models.DateTimeField(null=True)),
                ("revealed", models.DateTimeField(null=True)),
                ("table", models.JSONField(default=list)),
            ],
        ),
        migrations.CreateModel(
            name="Extension",
            fields=[
                ("id", _number()),
                ("until", models.DateTimeField()),
                ("season", _key("season", "extensions")),
                ("person", _key("person", "extensions", is_optional=True)),
                ("team", _key("team", "extensions", is_optional=True)),
            ],
        ),
        migrations.CreateModel(
            name="Final",
            fields=[
                ("id", _number()),
                ("locked", models.DateTimeField()),
                ("ended", models.DateTimeField(null=True)),
                ("table", models.JSONField(default=list)),
                ("season", _key("season", "finals")),
            ],
        ),
        migrations.AddField("handin", "is_late", models.BooleanField(default=False)),
        migrations.AddField("bot", "home", models.FloatField(null=True)),
        migrations.AddField("version", "prior", models.FloatField(null=True)),
        migrations.AddField("ratingpoint", "season", _key("season", "points", is_optional=True)),
        migrations.RunPython(_allow, _refuse),
        migrations.RunPython(_name_season, migrations.RunPython.noop),
        migrations.RunPython(_refuse, _allow),
    ]
