# Runs a command in a session of its own, and ends it when boltwork asks for it or has died.
#
#   sh -c "$(this script)" boltwork-supervisor DIRECTORY GRACE TICKS COMMAND [ARGUMENT ...]
#
# GRACE is in seconds, TICKS the same time in steps of 50 ms.
#
# DIRECTORY has the named pipe "pipe", which boltwork holds open. A line in it is the name of a signal for the command's process
# group, or END: TERM, and KILL after GRACE seconds. The end of the pipe means END, too: the system closes it when boltwork dies,
# however it dies. The exit code is that of the command.
#
# Two processes: this one waits for the command, and the watcher reads the pipe. If this one is killed, the watcher still ends
# the command when boltwork closes the pipe. The file "group" tells boltwork that there may be a command: it exists from before
# the command's first instruction until nothing is left of its group.

set -u
directory=$1
grace=$2
ticks=$3
shift 3

# Opened for writing first, because opening a pipe that nobody writes would wait for ever if boltwork has died meanwhile.
exec 4<> "$directory/pipe" 3< "$directory/pipe" 4>&-

# They reach the command through the pipe. A trap, because the command would inherit that a signal is ignored.
trap : INT TERM HUP USR1

in_own_session() {
  if command -v setsid > /dev/null 2>&1; then
    setsid "$@"
  else
    perl -e 'use POSIX; POSIX::setsid(); exec { $ARGV[0] } @ARGV or exit 127' "$@"
  fi
}

# Sends a signal to the command's group. Waits for the group if it is just beginning.
send() {
  while [ ! -e "$directory/group" ]; do
    [ -e "$directory/pipe" ] || return 0
    sleep 0.02
  done
  kill -s "$1" -- "-$(cat "$directory/group")" 2> /dev/null
}

# Sends TERM to the command's group, and KILL to what is left of it after the grace.
finish() {
  send TERM
  sleep "$grace"
  send KILL
}

clean_up() {
  rm -f "$directory/group" "$directory/pipe"
  rmdir "$directory" 2> /dev/null
}

watch() {
  trap '' INT TERM HUP USR1
  while read -r order <&3; do
    case $order in
      END) finish & ;;
      *) send "$order" ;;
    esac
  done
  finish
  clean_up
}

# It must not hold the command's output open.
watch < /dev/null > /dev/null 2>&1 &
watcher=$!

# The session's first process is the leader of its group, so its number is that of the group.
in_own_session sh -c '
  echo $$ > "$1/group.new" && mv "$1/group.new" "$1/group" || exit 126
  shift
  exec "$@"' sh "$directory" "$@" 3<&-
code=$?

# Nothing of the command may go on without the lock.
if [ -e "$directory/group" ]; then
  group=$(cat "$directory/group" 2> /dev/null)
  kill -s TERM -- "-$group" 2> /dev/null
  while kill -s 0 -- "-$group" 2> /dev/null && [ "$ticks" -gt 0 ]; do
    sleep 0.05
    ticks=$((ticks - 1))
  done
  kill -s KILL -- "-$group" 2> /dev/null
fi
kill -s KILL "$watcher" 2> /dev/null
clean_up
exit "$code"
