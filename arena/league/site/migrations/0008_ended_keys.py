"""Keys of remote bots that staff has ended with the account of whoever set them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("league", "0007_remote_bots")]

    operations = [
        migrations.AddField("version", "key_ended", models.DateTimeField(null=True)),
    ]
