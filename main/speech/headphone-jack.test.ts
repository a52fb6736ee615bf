import { describe, expect, it } from 'vitest';
import { headphonesOfCard, headphonesOfSinks } from './headphone-jack';

const ANALOG = 'alsa_output.pci-0000_00_1f.3.analog-stereo';

/** An output as `pactl -f json list sinks` of PulseAudio 16.1 prints it, with the given ports. */
const sinks = (activePort: string | null, ports: readonly object[]) =>
  JSON.stringify([
    {
      index: 0,
      state: 'IDLE',
      name: ANALOG,
      driver: 'module-alsa-card.c',
      sample_specification: 's16le 2ch 44100Hz',
      mute: false,
      balance: 0.0,
      properties: { 'device.class': 'sound' },
      ports,
      active_port: activePort,
      formats: ['pcm'],
    },
  ]);
const speakers = { name: 'analog-output-speaker', type: 'Speaker', availability: 'availability unknown' };
const headphones = (availability: string) => ({
  name: 'analog-output-headphones',
  type: 'Headphones',
  availability,
});
const plugged = sinks('analog-output-headphones', [speakers, headphones('available')]);

describe('headphones, by the sound server', () => {
  it.each([
    ['are plugged in', plugged, true],
    ['are not', sinks('analog-output-speaker', [speakers, headphones('not available')]), false],
    ['are not what plays', sinks('analog-output-speaker', [speakers, headphones('available')]), false],
    ['are not known of', sinks('analog-output-headphones', [headphones('availability unknown')]), false],
    ['have no socket', sinks(null, []), false],
    ['are not where the speech goes', plugged, false, 'alsa_output.pci-0000_00_1f.3.hdmi-stereo'],
    ['are asked for in vain', 'Connection failure: Connection refused', null],
    ['are asked for in vain', '', null],
  ])('%s', (_, json, expected, defaultSink = ANALOG) => {
    expect(headphonesOfSinks(json, defaultSink)).toBe(expected);
  });
});

/** As `amixer contents` of alsa-utils prints the controls of a card. */
const contents = (values: string) => `numid=1,iface=CARD,name='Headphone Jack'
  ; type=BOOLEAN,access=r-------,values=1
  : values=${values}
numid=2,iface=CARD,name='Mic Jack'
  ; type=BOOLEAN,access=r-------,values=1
  : values=on
numid=3,iface=MIXER,name='Headphone Playback Switch'
  ; type=BOOLEAN,access=rw------,values=2
  : values=on,on
`;

describe('headphones, by a sound card', () => {
  it.each([
    ['are plugged in', contents('on'), true],
    ['are not', contents('off'), false],
    ['have no socket', contents('on').replace('Headphone Jack', 'Line Out Jack'), null],
    [
      'have a socket that always reports them',
      contents('on').replace('Headphone', 'Headphone Phantom'),
      null,
    ],
    ['are not, but a microphone is', contents('off').replace("'Mic Jack", "'Headset Mic Jack"), false],
    [
      'are not, and the microphone is unknown',
      contents('off').replace("'Mic", "'Headset Mic Phantom"),
      false,
    ],
    ['share a socket with microphones', contents('on').replace('Headphone', 'Headphone Mic'), true],
    ['are asked for in vain', 'Invalid card number.', null],
  ])('%s', (_, text, expected) => {
    expect(headphonesOfCard(text)).toBe(expected);
  });
});
