#!/bin/sh
# Runs the executable for Linux on arm64 under qemu: its doctor, then a server, a backup and an end in good order.
#   installer/check-arm64.sh [folder]          (default: dist/linux-arm64)
# Needs, on Debian: qemu-user libc6-arm64-cross libstdc++6-arm64-cross libatomic1-arm64-cross libgcc-s1-arm64-cross
set -eu

folder=$(realpath "${1:-$(dirname "$0")/../dist/linux-arm64}")
libraries=/usr/aarch64-linux-gnu
for needed in "$(command -v qemu-aarch64 || echo qemu-aarch64)" "$folder/talekeeper" "$libraries/lib/libatomic.so.1"; do
	[ -e "$needed" ] || { echo "$needed is missing; the head of this script names what it needs." >&2; exit 1; }
done

home=$(mktemp -d)
server=
cleanUp() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	rm -rf "$home"
}
trap cleanUp EXIT

qemu=$(command -v qemu-aarch64)
talekeeper() {
	env -i HOME="$home" PORT=0 LOG_LEVEL=warn "$qemu" -L "$libraries" "$folder/talekeeper" "$@"
}
cd /

talekeeper doctor
env -i HOME="$home" PORT=0 LOG_LEVEL=warn "$qemu" -L "$libraries" "$folder/talekeeper" serve >"$home/output" 2>&1 &
server=$!
tries=0
until grep -q 'Talekeeper is' "$home/output"; do
	tries=$((tries + 1))
	if [ "$tries" -gt 240 ] || ! kill -0 "$server" 2>/dev/null; then cat "$home/output" >&2; exit 1; fi
	sleep 0.5
done
talekeeper backup --to "$home/backup.zip"
talekeeper inspect "$home/backup.zip" >/dev/null
talekeeper stop
wait "$server"
server=
echo "The executable for arm64 passes its doctor, serves, makes a backup and stops."
