#!/bin/bash
# Installs a Debian package in a fresh Debian 12, upgrades it over an older version, runs its service command, removes
# and purges it. Needs root, debootstrap and, for the first step, lintian.
#   sudo installer/check-debian.sh dist/release/talekeeper_1.2.3_amd64.deb
set -euo pipefail

package=$(realpath "$1")
root=$(mktemp -d)
chmod 755 "$root"
server=
cleanUp() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	for mounted in proc dev sys; do umount "$root/$mounted" 2>/dev/null || true; done
	rm -rf --one-file-system "$root"
}
trap cleanUp EXIT

# A link that leads astray outside of that system.
enabled=etc/systemd/system/multi-user.target.wants/talekeeper.service

say() { echo "== $*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
# As somebody without rights, and with nothing of a desktop.
nobody() { chroot --userspec=nobody:nogroup "$root" env -i PATH=/usr/bin:/bin DATA_DIR=/var/lib/talekeeper PORT=0 LOG_LEVEL=warn "$@"; }

# Starts a command that serves, and waits until it does.
serving() {
	: >"$root/output"
	nobody "$@" >"$root/output" 2>&1 &
	server=$!
	for _ in $(seq 240); do grep -q 'Talekeeper is' "$root/output" && return; sleep 0.5; done
	cat "$root/output"
	fail "$* does not serve"
}
stopped() {
	nobody talekeeper stop
	wait "$server" || fail "what served ended with $?"
	server=
}

if command -v lintian >/dev/null; then
	say "lintian"
	lintian --allow-root --fail-on error "$package"
else
	echo "lintian is not installed: its check is left out."
fi

say "a fresh Debian 12"
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" >"$root.log" 2>&1 || { cat "$root.log"; fail debootstrap; }
rm -f "$root.log"
mount --bind /proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind /sys "$root/sys"
cp -L /etc/resolv.conf "$root/etc/" 2>/dev/null || true
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
echo 'Dpkg::Use-Pty "0";' >"$root/etc/apt/apt.conf.d/99no-pty"
cp "$package" "$root/new.deb"

say "an older version"
dpkg-deb --raw-extract "$package" "$root/older"
sed -i 's/^Version: .*/Version: 0.0.1/' "$root/older/DEBIAN/control"
echo "# from the older version" >>"$root/older/usr/lib/talekeeper/natives/left-over.txt"
dpkg-deb --root-owner-group -Znone --build "$root/older" "$root/older.deb" >/dev/null
rm -rf "$root/older"
inside apt-get update -qq
inside apt-get install -y -qq --no-install-recommends /older.deb systemd man-db >/dev/null
# shellcheck disable=SC2016
[ "$(inside dpkg-query -W -f '${Version}' talekeeper)" = 0.0.1 ] || fail "the older version is not installed"
[ ! -L "$root/$enabled" ] || fail "the service was enabled unasked"

say "upgrade, with data and an enabled service"
mkdir -p "$root/var/lib/talekeeper" "$root/home/ellen/.local/share/talekeeper"
echo kept >"$root/home/ellen/.local/share/talekeeper/talekeeper.db"
chown -R nobody:nogroup "$root/var/lib/talekeeper"
serving talekeeper serve
nobody talekeeper backup --to /var/lib/talekeeper/first.zip >/dev/null
stopped
inside systemctl enable talekeeper.service 2>/dev/null
echo 'PORT=9000' >>"$root/etc/default/talekeeper"
inside apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-confold /new.deb >/dev/null
[ ! -e "$root/usr/lib/talekeeper/natives/left-over.txt" ] || fail "a file of the older version stayed"
[ -L "$root/$enabled" ] || fail "the service is not enabled any more"
[ -s "$root/var/lib/talekeeper/talekeeper.db" ] || fail "the data is gone"
grep -q 'PORT=9000' "$root/etc/default/talekeeper" || fail "the settings are gone"
inside dpkg --verify talekeeper | grep -v ' c /etc/default/talekeeper$' && fail "files differ from the package"

say "units"
inside systemd-analyze verify /usr/lib/systemd/system/talekeeper.service
inside env XDG_RUNTIME_DIR=/run SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --user /usr/lib/systemd/user/talekeeper.service

say "the command, and that of the service"
nobody talekeeper doctor
command=$(sed -n 's/^ExecStart=//p' "$root/usr/lib/systemd/system/talekeeper.service")
# shellcheck disable=SC2086
serving $command
nobody talekeeper backup --to /var/lib/talekeeper/second.zip >/dev/null
stopped

say "remove"
inside apt-get remove -y -qq talekeeper >/dev/null
[ ! -e "$root/usr/lib/talekeeper" ] || fail "program files stayed"
[ -s "$root/var/lib/talekeeper/talekeeper.db" ] || fail "remove took the data"
[ -e "$root/etc/default/talekeeper" ] || fail "remove took the settings"

say "purge"
inside apt-get purge -y -qq talekeeper >/dev/null
for gone in /var/lib/talekeeper /etc/default/talekeeper /etc/systemd/system/multi-user.target.wants/talekeeper.service; do
	if [ -e "$root$gone" ] || [ -L "$root$gone" ]; then fail "purge left $gone"; fi
done
[ "$(cat "$root/home/ellen/.local/share/talekeeper/talekeeper.db")" = kept ] || fail "purge touched a home folder"
find "$root"/etc "$root"/usr "$root"/var/lib -iname '*talekeeper*' -not -path '*/dpkg/*' -not -path '*/apt/*' | grep . && fail "purge left files"

say "The package installs, upgrades with data kept, serves, and leaves as it should."
