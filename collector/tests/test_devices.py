"""A few devices in Chromium: a short run of devices.py."""

import devices


def test_devices_in_a_browser(capsys):
    assert devices.main(["--devices", "40", "--tabs", "2"]) == 0
    assert "40 reports are counted, each as it was shown" in capsys.readouterr().out
