#!/usr/bin/env bash
# Builds the site (build/site) of docs/ and of the docstrings of the wheel in build/wheels, in an
# environment of its own. The gallery is executed on the way. A warning is an error, and so is a page
# that fetches anything from elsewhere: charts are pictures.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=build/site-tools
[[ -x $environment/bin/python ]] || python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check -r docs/requirements.txt
"$environment/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps build/wheels/*.whl
profile=build/site-profile
mkdir -p "$profile/profile_default/startup"
echo 'import altair; altair.renderers.enable("svg")' >"$profile/profile_default/startup/charts.py"
IPYTHONDIR=$PWD/$profile "$environment/bin/python" -P -m sphinx -q -W --keep-going -b html docs build/site
cp build/site/README.html build/site/index.html
fetched='<(script|link|img|iframe)[^>]* (src|href)="(https?:)?//|(import|url)\(["'\'']?https?:|jsdelivr|require\.config'
if grep -rlE "$fetched" build/site --include='*.html' --include='*.css'; then
  echo 'These pages need the network.' >&2
  exit 1
fi
