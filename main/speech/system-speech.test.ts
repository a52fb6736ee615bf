import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { timers } from '../schedule';
import { headphonesPluggedIn, systemSpeech } from './system-speech';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-speech-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  warned.length = 0;
  rmSync(folder, { recursive: true, force: true });
});

const warned: string[] = [];
const log = { debug() {}, info() {}, warn: (line: string) => void warned.push(line), error() {} };

/** From now on espeak-ng speaks into this file instead of the sound card. */
function recorded(): string {
  const file = join(folder, 'said.wav');
  const path = process.env.PATH ?? '';
  const script = `#!/bin/sh\nPATH='${path}' exec espeak-ng -w '${file}' "$@"\n`;
  writeFileSync(join(folder, 'script'), script);
  // Another process makes the program: one that is open for writing anywhere cannot be run, and a program that another
  // thread starts at that moment has open what we have.
  execFileSync('install', ['-m', '0755', join(folder, 'script'), join(folder, 'espeak-ng')]);
  vi.stubEnv('PATH', `${folder}:${path}`);
  return file;
}

/** Seconds and loudness (0 to 1, the square root of the mean square) of a WAV file; null: it is not complete. */
function sound(file: string): { seconds: number; loudness: number } | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return null;
  }
  if (bytes.length < 44 || bytes.toString('latin1', 0, 4) !== 'RIFF') return null;
  // espeak-ng writes the length into the header at the end.
  if (bytes.readUInt32LE(40) !== bytes.length - 44) return null;
  const rate = bytes.readUInt32LE(24);
  const samples = (bytes.length - 44) / 2;
  let sum = 0;
  for (let at = 44; at + 1 < bytes.length; at += 2) sum += (bytes.readInt16LE(at) / 32_768) ** 2;
  return { seconds: samples / rate, loudness: Math.sqrt(sum / samples) };
}

describe('the speech of the system', () => {
  it.each([
    [
      'en',
      'Advertisement. Kiosko Cold Brew. Twenty hours slow-steeped, never heated. Button: See the flavours.',
    ],
    ['de-AT', 'Anzeige. Einkaufslisten für alle im Haushalt. Taste unten auf dem Bildschirm: Mehr erfahren.'],
  ])('speaks a text audibly and at a human pace: %s', async (language, text) => {
    const file = recorded();
    systemSpeech({ language, schedule: timers, log, onSpeaking() {} })(text);
    const said = await vi.waitUntil(() => sound(file), { timeout: 60_000 });
    // People speak 10 to 20 characters in a second.
    expect(said.seconds).toBeGreaterThan(text.length / 25);
    expect(said.seconds).toBeLessThan(text.length / 8);
    expect(said.loudness).toBeGreaterThan(0.02);
  });

  it('tells while it speaks, so that nothing else sounds meanwhile', async () => {
    recorded();
    const told: boolean[] = [];
    const say = systemSpeech({ language: 'en', schedule: timers, log, onSpeaking: (is) => told.push(is) });
    say('Hello.');
    await expect.poll(() => told).toEqual([true, false]);
    say('Hello.');
    say('Hello again.');
    await expect.poll(() => told).toEqual([true, false, true, false]);
    say('Hello.');
    say('');
    expect(told).toEqual([true, false, true, false, true, false]);
  });

  it('never treats text as an option', async () => {
    const file = recorded();
    systemSpeech({ language: 'en', schedule: timers, log, onSpeaking() {} })(
      `-w ${join(folder, 'other.wav')} --help`,
    );
    expect((await vi.waitUntil(() => sound(file), { timeout: 60_000 })).seconds).toBeGreaterThan(1);
    expect(sound(join(folder, 'other.wav'))).toBeNull();
  });

  it('says nothing, with one warning, if it is not available', async () => {
    vi.stubEnv('PATH', folder);
    const spoke: boolean[] = [];
    const onSpeaking = (is: boolean) => void spoke.push(is);
    const say = systemSpeech({ language: 'en', schedule: timers, log, onSpeaking });
    for (const ended of [2, 4]) {
      say('Hello.');
      await expect.poll(() => spoke.length).toBe(ended);
    }
    expect(warned).toEqual(['nothing can be read out: espeak-ng does not start']);
  });

  it('says nothing, with one warning, where no process can be started', () => {
    // Node throws this error, as it throws that there is no memory for a process.
    symlinkSync('espeak-ng', join(folder, 'espeak-ng'));
    vi.stubEnv('PATH', folder);
    const spoke: boolean[] = [];
    const onSpeaking = (is: boolean) => void spoke.push(is);
    const say = systemSpeech({ language: 'en', schedule: timers, log, onSpeaking });
    for (const text of ['Hello.', 'Hello.', '']) say(text);
    expect(spoke).toEqual([]);
    expect(warned).toEqual(['nothing can be read out: espeak-ng does not start']);
  });

  it('warns if it has no voice for the language', async () => {
    systemSpeech({ language: 'xx', schedule: timers, log, onSpeaking() {} })('Hello.');
    await expect.poll(() => warned).toEqual(['nothing can be read out: espeak-ng failed']);
  });
});

describe('headphones', () => {
  it('are detected on the default sound card, and on no other, if no sound server runs', async () => {
    const ofCards =
      (defaultCard: string, secondCard: string) => async (program: string, args: readonly string[]) => {
        if (program === 'pactl') throw new Error('Connection refused');
        const values = args.includes('-c') && args[args.indexOf('-c') + 1] === '1' ? secondCard : defaultCard;
        return `numid=1,iface=CARD,name='Headphone Jack'\n  : values=${values}\n`;
      };
    expect(await headphonesPluggedIn(ofCards('on', 'off'))).toBe(true);
    expect(await headphonesPluggedIn(ofCards('off', 'on'))).toBe(false);
  });

  it('count as absent if nothing reports them', async () => {
    const run = () => Promise.reject(new Error('there is no such program'));
    expect(await headphonesPluggedIn(run)).toBe(false);
  });
});
