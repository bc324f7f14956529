#!/bin/sh
# The health check of compose: ends with 0 if NATS and its JetStream work. An engine does not restart a container because
# it is unhealthy, so the fourth failure in a row ends a server that worked before. A server that still recovers its
# streams never worked before.
set -eu
failures=/tmp/failures
# `timeout`, since one wget repeats what times out and another one does not.
if timeout 3 wget -q -O /dev/null http://127.0.0.1:8222/healthz; then
  : >"$failures"
  exit 0
fi
[ -e "$failures" ] || exit 1
echo failure >>"$failures"
if [ "$(wc -l <"$failures")" -ge 4 ]; then
  rm "$failures"
  kill -9 "$(pidof nats-server)"
fi
exit 1
