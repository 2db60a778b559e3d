#!/bin/bash
# Runs the set-up for Windows under Wine: silent installation, start, web and MCP, backup, upgrade over a running copy,
# removal that keeps the data, and removal that deletes it. Wine is not Windows: antivirus, SmartScreen, the pages of the
# set-up and the tray are not seen here.
#   sudo installer/check-windows.sh dist/release/talekeeper-1.2.3-win-x64-setup.exe [folder]
# It needs Wine 10 (older ones do not run this Node), which is in Debian 13: without it the script makes a Debian 13 in a
# folder, a temporary one or the one that is named and then kept for the next time. That needs root, debootstrap, curl
# and some minutes.
set -euo pipefail

setup=$(realpath "$1")
root=${2:-}
temporary=
if [ -z "$root" ]; then
	root=$(mktemp -d)
	temporary=$root
fi
port=$((20000 + RANDOM % 20000))
base=http://127.0.0.1:$port

cleanUp() {
	inside wineserver -k 2>/dev/null || true
	sleep 1
	for mounted in proc dev; do umount "$root/$mounted" 2>/dev/null || true; done
	[ -z "$temporary" ] || rm -rf --one-file-system "$temporary"
}
trap cleanUp EXIT

say() { echo "== $*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
inside() {
	chroot "$root" env -i PATH=/usr/lib/wine:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 WINEPREFIX=/root/wine WINEARCH=win64 \
		WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml= DEBIAN_FRONTEND=noninteractive PORT="$port" LOG_LEVEL=warn "$@"
}

# A link that leads astray outside of that folder.
hasWine() { [ -L "$root/usr/bin/wine" ] || [ -x "$root/usr/bin/wine" ]; }
if ! hasWine; then
	say "a Debian 13 with Wine"
	debootstrap --variant=minbase --include=ca-certificates trixie "$root" >"$root.log" 2>&1 || { cat "$root.log"; fail debootstrap; }
	rm -f "$root.log"
fi
mountpoint -q "$root/proc" || mount --bind /proc "$root/proc"
mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
cp -L /etc/resolv.conf "$root/etc/" 2>/dev/null || true
if ! hasWine; then
	inside apt-get update -qq
	inside apt-get install -y -qq --no-install-recommends wine wine64 >/dev/null
fi
rm -rf "$root/root/wine"
inside wineboot -i >/dev/null 2>&1
user=$root/root/wine/drive_c/users/root
program=$user/AppData/Local/Programs/Talekeeper
data=$user/AppData/Local/Talekeeper/data
inWine='C:\users\root\AppData\Local\Programs\Talekeeper'
cp "$setup" "$root/setup.exe"

# Through a file: programs under Wine cannot write to a pipe of the system around it.
wine() {
	local code=0
	inside wine "$@" >"$root/output" 2>&1 </dev/null || code=$?
	cat "$root/output"
	return "$code"
}
registered() { wine reg query "$1" /v "$2" | tr -d '\r' | grep -F "$2"; }
runKey='HKCU\Software\Microsoft\Windows\CurrentVersion\Run'
uninstallKey='HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Talekeeper'
ready() {
	for _ in $(seq 120); do
		curl -sf --max-time 5 "$base/readyz" >/dev/null && return
		sleep 1
	done
	fail "nothing answers at $base"
}
start() { inside wine "$inWine\\talekeeper.exe" --hidden >"$root/server-output" 2>&1 </dev/null & }

say "silent installation"
wine /setup.exe /S
for file in talekeeper.exe talekeeper.com Uninstall.exe LICENSES natives traybin; do
	[ -e "$program/$file" ] || fail "$file is not installed"
done
[ -n "$(find "$user" -name Talekeeper.lnk)" ] || fail "there is no entry in the Start menu"
registered "$runKey" Talekeeper | grep -qF -- '--hidden' || fail "it does not start at login"
registered "$uninstallKey" QuietUninstallString | grep -qF /S || fail "it is not among the installed programs"

say "doctor"
wine "$inWine\\talekeeper.com" doctor

say "start, set-up, MCP"
start
ready
post() { curl -sf --max-time 60 -X POST "$base$1" -H "content-type: application/json" -H "origin: $base" "${@:3}" -d "$2"; }
person='"username":"ellen","password":"a lantern in winter"'
post /api/v1/auth/setup "{$person}" >/dev/null || fail "it cannot be set up"
token=$(post /api/v1/auth/token "{$person,\"tokenName\":\"check\",\"scope\":\"dm\"}" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p')
[ -n "$token" ] || fail "no token was made"
call() {
	curl -sf --max-time 60 -X POST "$base/mcp" -H "authorization: Bearer $token" -H 'content-type: application/json' \
		-H 'accept: application/json, text/event-stream' -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":$2}"
}
call tools/list '{}' | grep -q '"create_quest"' || fail "MCP does not list the tools"
call tools/call '{"name":"create_campaign","arguments":{"name":"The Orchard"}}' | grep -q 'Orchard' || fail "MCP makes no campaign"

say "backup"
wine "$inWine\\talekeeper.com" backup --to 'C:\backup.zip' --json | grep -q '"bytes"' || fail "no backup was made"
[ -s "$root/root/wine/drive_c/backup.zip" ] || fail "the backup is empty"

say "upgrade over a running copy"
wine reg delete "$runKey" /v Talekeeper /f >/dev/null
wine /setup.exe /S || fail "the set-up ended with $?"
curl -s --max-time 5 "$base/healthz" >/dev/null && fail "the running copy was not closed"
registered "$runKey" Talekeeper >/dev/null && fail "the upgrade starts at login what was told not to"
start
ready
call tools/call '{"name":"list_campaigns","arguments":{}}' | grep -q 'Orchard' || fail "the upgrade lost the campaign"

say "removal that keeps the data"
removed() { for _ in $(seq 60); do [ -e "$program/talekeeper.com" ] || return 0; sleep 1; done; fail "the program is still there"; }
wine "$inWine\\Uninstall.exe" /S
removed
[ -s "$data/talekeeper.db" ] || fail "the data is gone"
registered "$uninstallKey" DisplayName >/dev/null && fail "it is still among the installed programs"
[ -z "$(find "$user" -name Talekeeper.lnk)" ] || fail "the entry in the Start menu stayed"

say "installed again without login start, removal with the data"
wine /setup.exe /S /NOAUTOSTART
registered "$runKey" Talekeeper >/dev/null && fail "/NOAUTOSTART has no effect"
wine "$inWine\\Uninstall.exe" /S /DELETEDATA
removed
for _ in $(seq 30); do [ -e "$data" ] || break; sleep 1; done
[ ! -e "$data" ] || fail "/DELETEDATA left the data"

say "The set-up installs, upgrades with data kept, and removes as it should."
