"""Orders to void what a machine has played since a time."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("league", "0004_challenge")]

    operations = [
        migrations.CreateModel(
            name="MachineVoid",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("machine", models.CharField(max_length=200)),
                ("since", models.DateTimeField()),
                ("ordered", models.DateTimeField(auto_now_add=True)),
                ("done", models.DateTimeField(db_index=True, null=True)),
                ("matches", models.PositiveIntegerField(default=0)),
                (
                    "person",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
    ]
