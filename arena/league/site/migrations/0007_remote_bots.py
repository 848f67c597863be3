"""Remote bots: they play from their owners' machines, each version with a key of its own."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("league", "0006_seasons")]

    operations = [
        migrations.AddField("bot", "is_remote", models.BooleanField(default=False)),
        migrations.AddField("bot", "away", models.CharField(default="", max_length=200)),
        migrations.AddField("version", "key", models.CharField(default="", max_length=40)),
        migrations.AddConstraint(
            "version",
            models.UniqueConstraint(
                fields=["key"], condition=~models.Q(key=""), name="version_key"
            ),
        ),
    ]
