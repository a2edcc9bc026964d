#!/usr/bin/env bash
# Runs the studio under Xvfb: it opens, draws, closes and recovers after a kill. `cargo xtask window-test` calls this.
#
# Variables: STUDIO, the program; PICTURES, the folder for screenshots. Needs a display that survives its last client
# (Xvfb -noreset), xdotool and ImageMagick.
set -euo pipefail

rm -rf "$PICTURES"
mkdir -p "$PICTURES"
home=$(mktemp -d)
export HOME="$home" XDG_STATE_HOME="$home/state" XDG_DATA_HOME="$home/data" NODEVICE_SELECT=1
unset WAYLAND_DISPLAY
journals="$XDG_STATE_HOME/sinew-studio"
studio_pid=

finish() {
  if [ -n "$studio_pid" ]; then kill -9 "$studio_pid" 2>/dev/null || true; fi
  rm -rf "$home"
}
trap finish EXIT

fail() {
  echo "window test: $*" >&2
  import -window root "$PICTURES/failed.png" || true
  exit 1
}

# Waits until a command succeeds, for half a minute at least.
await() {
  local what=$1
  shift
  for _ in $(seq 300); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    if [ -n "$studio_pid" ] && ! kill -0 "$studio_pid" 2>/dev/null && [ "$what" != "the end" ]; then
      fail "the studio ended before $what"
    fi
    sleep 0.1
  done
  fail "$what never came"
}

window() { xdotool search --onlyvisible --name 'Sinew Studio$'; }

# The number of colors in the window: an empty one has few.
colors() { import -window "$(window | head -n 1)" -format '%k' info:; }
is_drawn() { [ "$(colors)" -gt 200 ]; }

start() {
  local begin now
  begin=$(date +%s%N)
  "$STUDIO" "$@" 2>"$home/complaints" &
  studio_pid=$!
  await "a window" window
  await "a picture" is_drawn
  now=$(date +%s%N)
  printf 'drawn %d ms after the start of sinew-studio %s\n' $(((now - begin) / 1000000)) "$*"
}

ended() { ! kill -0 "$studio_pid"; }

# Keys go to the window with the focus, which no window manager assigns here.
press() {
  xdotool windowfocus --sync "$(window | head -n 1)"
  xdotool key "$@"
}

count_journals() { find "$journals" -name '*.journal' | wc -l; }

# 1. Opens, draws, and closes by its shortcut.
start builtin:figure
import -window root "$PICTURES/1-opened.png"
[ "$(count_journals)" = 1 ] || fail "no journal exists while the window is open"
press ctrl+q
await "the end" ended
wait "$studio_pid" || fail "closing ended with $?: $(cat "$home/complaints")"
studio_pid=
[ "$(count_journals)" = 0 ] || fail "a journal remains after closing"
[ -s "$XDG_DATA_HOME/sinew-studio/app.ron" ] || fail "the window state is not saved"

# 2. After a kill it recovers from its journal.
start builtin:arm
# The shortcut keys the pose into a new clip: an edit.
press k
has_edit() { grep -q key-pose "$journals"/*.journal; }
await "the edit in the journal" has_edit
kill -9 "$studio_pid"
wait "$studio_pid" 2>/dev/null || true
studio_pid=
start --recover
import -window root "$PICTURES/2-recovered.png"
has_edit || fail "the recovered session has no journal of its own"

# 3. The edit is not saved: closing asks, and Esc cancels.
is_marked() { xdotool getwindowname "$(window | head -n 1)" | grep -q '^• arm - Sinew Studio$'; }
await "the mark of unsaved edits" is_marked
press ctrl+q
sleep 1
import -window root "$PICTURES/3-asked.png"
ended && fail "the window closed without asking"
press Escape
sleep 1
[ "$(count_journals)" = 1 ] || fail "the journal of unsaved edits is gone"
press ctrl+q
sleep 1
# Save, discard, cancel: the second button.
press Tab
sleep 0.3
press Tab
sleep 0.3
press Return
await "the end" ended
wait "$studio_pid" || fail "closing ended with $?: $(cat "$home/complaints")"
studio_pid=
[ "$(count_journals)" = 0 ] || fail "a journal remains although its edits were discarded"
echo "the window opens, draws, closes, asks before edits are lost, and recovers after a kill"
