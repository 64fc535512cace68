#!/usr/bin/env bash
# Builds the site (build/site) of docs/, of the docstrings of the wheel in build/wheels, of the public headers and of the
# command, in an environment of its own. The gallery is executed on the way. A warning is an error, and so is a page
# that fetches anything from elsewhere: charts are pictures.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=build/site-tools
[[ -x $environment/bin/python ]] || python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check -r docs/requirements.txt
"$environment/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps build/wheels/*.whl
profile=$PWD/build/site-profile
mkdir -p "$profile/profile_default/startup"
cat >"$profile/profile_default/startup/charts.py" <<'END'
import altair

altair.renderers.enable("svg")
text = {"labelFontSize": 14, "titleFontSize": 14}
font = "DejaVu Sans, Helvetica, Arial, sans-serif"  # the widest is measured, so that nothing is clipped
altair.theme.register("site", enable=True)(lambda: {"config": {
    "font": font, "axis": text, "header": text, "title": {"fontSize": 14}, "legend": {"orient": "bottom", "columns": 2, "labelLimit": 0, **text}}})
END

# A copy of the repository as the pages see it, to which the pages that are made of the code are added.
source=build/site-source
rm -rf "$source"
mkdir -p "$source/build"
cp -r docs "$source/docs"
for folder in data examples src; do ln -s "$PWD/$folder" "$source/$folder"; done
program=$("$environment/bin/python" -P -c 'import mollify, pathlib; print(pathlib.Path(mollify.__file__).parent / "bin/mollify")')
python3 -B docs/site_pages.py "$source/docs" . "$program"

IPYTHONDIR=$profile "$environment/bin/python" -P -m sphinx -q -W --keep-going -b html "$source/docs" build/site
fetched='<(script|link|img|iframe)[^>]* (src|href)="(https?:)?//|(import|url)\(["'\'']?https?:|jsdelivr|require\.config'
if grep -rlE "$fetched" build/site --include='*.html' --include='*.css'; then
  echo 'These pages need the network.' >&2
  exit 1
fi
