import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Connector, readConnectors, someDisplayIsOn, watchDisplayPower } from './display-power';

const on: Connector = { status: 'connected', dpms: 'On' };
const off: Connector = { status: 'connected', dpms: 'Off' };
const unplugged: Connector = { status: 'disconnected', dpms: 'Off' };

describe('the power of the display', () => {
  it('is on while any display is on', () => {
    expect(someDisplayIsOn([unplugged, on])).toBe(true);
    expect(someDisplayIsOn([off, unplugged])).toBe(false);
    expect(someDisplayIsOn([unplugged])).toBe(false);
  });

  it('is unknown where the machine does not report it', () => {
    expect(someDisplayIsOn([])).toBeNull();
    expect(someDisplayIsOn([{ status: 'unknown', dpms: 'Off' }, unplugged])).toBeNull();
  });

  /** What is reported for these connectors, one entry for each check. */
  async function toldOf(...looks: ReadonlyArray<readonly Connector[]>): Promise<boolean[]> {
    return (await watched(false, looks)).told;
  }

  async function watched(wasOn: boolean, looks: ReadonlyArray<readonly Connector[]>) {
    const told: boolean[] = [];
    let firsts = 0;
    const left = [...looks];
    await new Promise<void>((done) =>
      watchDisplayPower({
        read: async () => left.shift() ?? [],
        wasOn,
        firstOn: () => {
          firsts += 1;
        },
        schedule: (_ms, run) => {
          if (left.length === 0) done();
          else queueMicrotask(run);
          return () => {};
        },
        tell: (isOn) => told.push(isOn),
      }),
    );
    return { told, firsts };
  }

  it('is off at once where a display was on in an earlier run', async () => {
    expect(await watched(true, [[unplugged], [off], [on]])).toEqual({ told: [false, true], firsts: 0 });
    expect(await watched(false, [[unplugged], [on], [off], [on]])).toEqual({
      told: [false, true],
      firsts: 1,
    });
  });

  it('is reported once when no display is on any more, and once when one is back', async () => {
    expect(await toldOf([on], [on], [unplugged], [unplugged], [off], [on], [on])).toEqual([false, true]);
  });

  it('is not reported on a machine without a display', async () => {
    expect(await toldOf([unplugged], [unplugged], [], [unplugged])).toEqual([]);
  });

  it('counts as on if it can no longer be read', async () => {
    expect(await toldOf([on], [off], [])).toEqual([false, true]);
  });

  it('is read from the connectors that Linux lists, not from cards, versions or writeback', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'endcap-drm-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const [name, files] of Object.entries({
      card0: {},
      version: {},
      'card0-HDMI-A-1': { status: 'connected\n', dpms: 'On\n' },
      'card0-DP-1': { status: 'disconnected\n', dpms: 'Off\n' },
      // Without a socket.
      'card0-Writeback-1': { status: 'unknown\n', dpms: 'On\n' },
    })) {
      await mkdir(join(folder, name));
      for (const [file, text] of Object.entries(files)) await writeFile(join(folder, name, file), text);
    }
    const read = await readConnectors(folder);
    expect([...read].sort((one, other) => one.status.localeCompare(other.status))).toEqual([on, unplugged]);
    expect(await readConnectors(join(folder, 'none'))).toEqual([]);
    await mkdir(join(folder, 'card1-VGA-1'));
    expect(await readConnectors(folder)).toEqual([]);
  });
});
