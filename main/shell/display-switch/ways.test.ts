import { describe, expect, it } from 'vitest';
import type { RunProgram } from '../run-program';
import { AcceptedInPart, type DisplayWay, WAY_NAMES } from './power-rounds';
import { cecWay, ddcWay, dpmsWay, swayWay, systemWays, wlopmWay } from './ways';

// Output as the programs wrote it: wlopm 0.1.0, sway 1.7 and 1.10, xset 1.2.5 against Xvfb and Xorg with DPMS,
// ddcutil 1.4.1 and cec-ctl 1.22.1 without hardware. Output of the last two with hardware follows the formats in the
// programs.

const SESSION = { WAYLAND_DISPLAY: 'wayland-1', SWAYSOCK: '/run/sway.sock', DISPLAY: ':0' };

/** Programs with these answers, by the beginning of their command line; all others are not installed. */
function programs(answers: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  const run: RunProgram = async (program, args) => {
    const line = [program, ...args].join(' ');
    lines.push(line);
    const known = Object.keys(answers).find((start) => line.startsWith(start));
    if (known === undefined) throw new Error(`${program} is not installed`);
    return answers[known] ?? '';
  };
  return { run, lines };
}

const OUTPUT_OF_WLOPM = (mode: string) =>
  `[\n  {\n    "output": "HEADLESS-1",\n    "power-mode": "${mode}"\n  }\n]\n`;
const XSET = (dpms: string) => `Font Path:\n  built-ins\nDPMS (Energy Star):\n${dpms}\n`;
const XSET_ON = XSET('  Standby: 600    Suspend: 600    Off: 600\n  DPMS is Enabled\n  Monitor is On');

async function turned(
  of: (run: RunProgram) => DisplayWay,
  answers: Readonly<Record<string, string>>,
  on: boolean,
) {
  const { run, lines } = programs(answers);
  await of(run).turn(on);
  return lines.at(-1);
}

describe('the ways of a system', () => {
  it('are compositor outputs, DPMS, DDC/CI and CEC on Linux, in this order, and none elsewhere', () => {
    const { run } = programs({});
    expect(systemWays('linux', SESSION, run).map(({ name }) => name)).toEqual([...WAY_NAMES]);
    expect(WAY_NAMES).toEqual(['wlopm', 'sway', 'dpms', 'ddc', 'cec']);
    expect(systemWays('win32', SESSION, run)).toEqual([]);
  });

  it('each report a reason if their program is missing', async () => {
    const reasons = systemWays('linux', SESSION, programs({}).run).map((way) => way.probe());
    for (const reason of await Promise.all(reasons)) expect(reason).toMatch(/\w/);
  });
});

describe('wlopm', () => {
  const of = (run: RunProgram) => wlopmWay(SESSION, run);

  it('switches all outputs and reads them', async () => {
    expect(await turned(of, { wlopm: '' }, false)).toBe('wlopm --off *');
    expect(await turned(of, { wlopm: '' }, true)).toBe('wlopm --on *');
    const { run } = programs({ 'wlopm --json': OUTPUT_OF_WLOPM('off') });
    expect([await of(run).probe(), await of(run).read()]).toEqual([null, false]);
    expect(await of(programs({ 'wlopm --json': OUTPUT_OF_WLOPM('on') }).run).read()).toBe(true);
  });

  it('says why it cannot', async () => {
    expect(await wlopmWay({}, programs({}).run).probe()).toBe('no Wayland session');
    expect(await of(programs({}).run).probe()).toBe('wlopm is not installed');
    expect(await of(programs({ wlopm: '[]' }).run).probe()).toBe('the compositor has no output');
  });
});

describe('sway', () => {
  const of = (run: RunProgram) => swayWay(SESSION, run);
  const old = { 'swaymsg -t get_outputs -r': '[{ "active": true, "dpms": true }]', 'swaymsg -r': '[]' };
  const recent = {
    'swaymsg -t get_outputs -r': '[{ "active": true, "dpms": false, "power": false }]',
    'swaymsg -r': '[]',
  };

  it('gets the command that its version supports', async () => {
    expect(await turned(of, old, false)).toBe('swaymsg -r output * dpms off');
    expect(await turned(of, recent, true)).toBe('swaymsg -r output * power on');
    expect(await of(programs(old).run).read()).toBe(true);
    expect(await of(programs(recent).run).read()).toBe(false);
  });

  it('is not available for other compositors or without an output', async () => {
    expect(await swayWay({}, programs({}).run).probe()).toBe('the compositor is not sway');
    const { run } = programs({ swaymsg: '[{ "active": false }]' });
    expect(await of(run).probe()).toBe('sway has no output');
  });
});

describe('DPMS of an X server', () => {
  const of = (run: RunProgram) => dpmsWay(SESSION, run);

  it('is forced, and the timeouts that would switch the display off again are disabled', async () => {
    expect(await turned(of, { xset: '' }, false)).toBe('xset dpms 0 0 0 dpms force off');
    expect(await turned(of, { xset: '' }, true)).toBe('xset dpms 0 0 0 dpms force on');
  });

  it.each([
    ['  DPMS is Enabled\n  Monitor is On', true],
    ['  DPMS is Enabled\n  Monitor is Off', false],
    ['  DPMS is Enabled\n  Monitor is in Standby', false],
    ['  DPMS is Disabled', true],
  ])('is read: %j', async (said, isOn) => {
    expect(await of(programs({ 'xset q': XSET(said) }).run).read()).toBe(isOn);
  });

  it('reports a reason if it is not available', async () => {
    expect(await of(programs({ 'xset q': XSET_ON }).run).probe()).toBeNull();
    const without = { 'xset q': XSET('  Server does not have the DPMS Extension') };
    expect(await of(programs(without).run).probe()).toBe('the X server has no DPMS');
    expect(await dpmsWay({}, programs({}).run).probe()).toBe('no X display');
  });
});

describe('DDC/CI', () => {
  const found = 'Display 1\n   I2C bus:  /dev/i2c-4\n\nDisplay 2\n   I2C bus:  /dev/i2c-5\n';
  const ddc = (mode: string) => ({
    'ddcutil detect --brief': found,
    'ddcutil getvcp': `VCP D6 SNC x0${mode}\n`,
    'ddcutil setvcp': '',
  });

  it('switches every display that was found once, even if a later search finds none', async () => {
    const answers: Record<string, string> = { ...ddc('1') };
    const { run, lines } = programs(answers);
    const way = ddcWay(run);
    expect(await way.probe()).toBeNull();
    answers['ddcutil detect --brief'] = 'No displays found\n';
    expect(await way.probe()).toBeNull();
    await way.turn(false);
    expect(lines.slice(-2)).toEqual([
      'ddcutil setvcp D6 0x04 --noverify --display 1',
      'ddcutil setvcp D6 0x04 --noverify --display 2',
    ]);
    await way.turn(true);
    expect(lines.at(-1)).toBe('ddcutil setvcp D6 0x01 --noverify --display 2');
  });

  it.each([1, 2])('switches the other display where display %i takes no command', async (refusing) => {
    const answers: Record<string, string> = { ...ddc('1') };
    delete answers['ddcutil setvcp'];
    answers[`ddcutil setvcp D6 0x04 --noverify --display ${3 - refusing}`] = '';
    const { run, lines } = programs(answers);
    const way = ddcWay(run);
    await way.probe();
    const error = new AcceptedInPart(`display ${refusing}: ddcutil is not installed`);
    await expect(way.turn(false)).rejects.toStrictEqual(error);
    expect(lines.filter((line) => line.includes('setvcp'))).toHaveLength(2);
    // Both refuse: nothing was accepted.
    const both = new Error('display 1: ddcutil is not installed; display 2: ddcutil is not installed');
    await expect(way.turn(true)).rejects.toStrictEqual(both);
  });

  it.each([
    ['1', true],
    ['4', false],
    ['5', false],
  ])('reads power mode %s', async (mode, isOn) => {
    const way = ddcWay(programs(ddc(mode)).run);
    await way.probe();
    expect(await way.read()).toBe(isOn);
  });

  it('returns null for a display that does not answer', async () => {
    const answers: Record<string, string> = { ...ddc('1') };
    const way = ddcWay(programs(answers).run);
    await way.probe();
    delete answers['ddcutil getvcp'];
    expect(await way.read()).toBeNull();
  });

  it('says why it cannot', async () => {
    expect(await ddcWay(programs({}).run).probe()).toBe('ddcutil is not installed');
    expect(await ddcWay(programs({ ddcutil: '' }).run).probe()).toBe(
      'no display that speaks DDC/CI was found',
    );
    const without = { ...ddc('1'), 'ddcutil getvcp': 'VCP D6 ERR\n' };
    expect(await ddcWay(programs(without).run).probe()).toBe('the display has no power mode (D6)');
    await expect(ddcWay(programs({ ddcutil: '' }).run).turn(false)).rejects.toThrow('found no display');
  });
});

describe('CEC', () => {
  const status = (state: string) => `REPORT_POWER_STATUS (0x90):\n\tpwr-state: ${state}\n`;
  const cec = (said: string) => ({
    'cec-ctl --skip-info --playback': '',
    'cec-ctl --skip-info --to 0': said,
  });

  it('sends the command to the television', async () => {
    expect(await turned(cecWay, cec(''), false)).toBe('cec-ctl --skip-info --to 0 --standby');
    expect(await turned(cecWay, cec(''), true)).toBe('cec-ctl --skip-info --to 0 --image-view-on');
  });

  it.each([
    ['on (0x00)', true],
    ['standby (0x01)', false],
    ['to-on (0x02)', true],
    ['to-standby (0x03)', false],
  ])('reads %s', async (state, isOn) => {
    expect(await cecWay(programs(cec(status(state))).run).read()).toBe(isOn);
  });

  it('reports an error if no television took the message, since cec-ctl does not', async () => {
    const { run } = programs(
      cec('Transmit from Playback Device 1 to TV (4 to 0): Tx, Not Acknowledged (4), Max Retries\n'),
    );
    expect(await cecWay(run).probe()).toBe('cec-ctl: no television took the message');
    await expect(cecWay(run).turn(false)).rejects.toThrow('no television');
  });

  it('uses a television that does not report its power', async () => {
    const way = cecWay(programs(cec('Tx, OK, Rx, Timeout\n')).run);
    expect([await way.probe(), await way.read()]).toEqual([null, null]);
  });
});
