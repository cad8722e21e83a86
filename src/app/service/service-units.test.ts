import { describe, expect, it } from 'vitest';
import { launchdPlist } from './launchd-plist.ts';
import { readSeal, sealed } from './seal.ts';
import type { ServiceSpec } from './service-spec.ts';
import { systemdUnit } from './systemd-unit.ts';

const SPEC: ServiceSpec = {
  name: 'coppice',
  home: '/home/me/.coppice',
  command: ['/usr/bin/node', '/opt/coppice/bin/coppice.js', 'serve', '--home', '/home/me/.coppice'],
  path: '/usr/local/bin:/usr/bin',
  isSystem: false,
  hasWatchdog: true,
};

describe('the unit of systemd', () => {
  it('is ready when the daemon says so, is watched, and ends politely', () => {
    expect(systemdUnit(SPEC)).toBe(`[Unit]
Description=Coppice at /home/me/.coppice
Documentation=man:coppice-serve(1)

[Service]
Type=notify
NotifyAccess=all
WatchdogSec=120
Environment="PATH=/usr/local/bin:/usr/bin"
ExecStart="/usr/bin/node" "/opt/coppice/bin/coppice.js" "serve" "--home" "/home/me/.coppice"
Restart=on-failure
RestartSec=5
KillMode=mixed
TimeoutStopSec=30
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`);
  });

  it('has no watchdog where nothing could tell it that the daemon lives', () => {
    const unit = systemdUnit({ ...SPEC, hasWatchdog: false, isSystem: true, uid: 1000 });
    expect(unit).toContain('Type=exec\nUser=1000\nEnvironment');
    expect(unit).not.toMatch(/notify|Watchdog/i);
    expect(unit).toContain('WantedBy=multi-user.target');
  });

  it('keeps every word as it is, whatever is in it', () => {
    const home = '/home/me/100% "mine" $HOME \\ ;x';
    const unit = systemdUnit({ ...SPEC, home, command: ['/usr/bin/node', home], path: '/a b:/c%d$e' });
    expect(unit).toContain('Description=Coppice at /home/me/100%% "mine" $HOME \\ ;x\n');
    expect(unit).toContain('ExecStart="/usr/bin/node" "/home/me/100%% \\"mine\\" $$HOME \\\\ ;x"\n');
    expect(unit).toContain('Environment="PATH=/a b:/c%%d$e"\n');
  });
});

describe('the property list of launchd', () => {
  it('starts it at login, and again when it fails', () => {
    expect(launchdPlist({ ...SPEC, home: '/Users/me/a&b' })).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>coppice</string>
  <key>ProgramArguments</key>
  <array>
    <string>/usr/bin/node</string>
    <string>/opt/coppice/bin/coppice.js</string>
    <string>serve</string>
    <string>--home</string>
    <string>/home/me/.coppice</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>/usr/local/bin:/usr/bin</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>30</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>/Users/me/a&amp;b/serve.log</string>
</dict>
</plist>
`);
  });
});

describe('the seal', () => {
  const comment = (words: string) => `# ${words}`;

  it('knows its own text, a changed one, and one that never had it', () => {
    const text = sealed('[Unit]\nA=1\n', comment);
    expect(readSeal(text)).toBe('intact');
    expect(readSeal(text.replace('A=1', 'A=2'))).toBe('edited');
    expect(readSeal(`${text}B=2\n`)).toBe('edited');
    expect(readSeal(`# mine\n${text}`)).toBe('edited');
    expect(readSeal('[Unit]\nA=1\n')).toBe('none');
    expect(readSeal('')).toBe('none');
  });
});
