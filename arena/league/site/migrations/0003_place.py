"""The place of a version, which the fit of the ratings decides."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("league", "0002_append_only")]

    operations = [
        migrations.AddField(
            model_name="version",
            name="place",
            field=models.PositiveIntegerField(null=True),
        )
    ]
