import { expect, it } from 'vitest';
import { adMacros, type KioskFacts, type MacroAd, type MacroEvent } from './ad-macros';
import { beaconUrls } from './macros';

const kiosk: KioskFacts = {
  screen: { width: 1920, height: 1080 },
  userAgent: 'Kiosk/1 (x)',
  player: 'Endcap/1.2.3',
  params: { dnt: '0', gid: 'some-id', lat: '52.5', long: '13.4', bundleid: 'com.example.store' },
};
const ad: MacroAd = {
  ids: { universalAdId: { registry: 'ad-id.org', value: 'CNPA' }, adServingId: 's/1', creativeId: null },
  sequence: 2,
  durationMs: 3_723_500,
};
const event: MacroEvent = { mediaUrl: 'https://cdn.example/a b.mp4', isMuted: true, share: 1 };
const filled = (
  macro: string,
  changes: { kiosk?: KioskFacts['params']; ad?: MacroAd; event?: object } = {},
) =>
  beaconUrls(
    {
      at: 0,
      cacheBuster: 7,
      errorCode: null,
      macros: adMacros({ ...kiosk, params: changes.kiosk ?? kiosk.params }, changes.ad ?? ad, {
        ...event,
        ...changes.event,
      }),
    },
    null,
  )(`https://t.example/?v=[${macro}]`).slice('https://t.example/?v='.length);

it.each([
  ['UNIVERSALADID', 'ad-id.org CNPA'],
  ['ADSERVINGID', 's/1'],
  ['ASSETURI', 'https://cdn.example/a b.mp4'],
  ['PLAYERSIZE', '1920,1080'],
  ['PLAYERSTATE', 'muted,fullscreen'],
  ['ADPLAYHEAD', '01:02:03.500'],
  ['PODSEQUENCE', '2'],
  ['DEVICEUA', 'Kiosk/1 (x)'],
  ['CLIENTUA', 'Endcap/1.2.3'],
  ['APPBUNDLE', 'com.example.store'],
  ['LIMITADTRACKING', '0'],
  ['IFATYPE', 'aaid'],
  ['LATLONG', '52.5,13.4'],
  ['SERVERSIDE', '0'],
  ['VASTVERSIONS', '2,3,5,6,7,8,11,12,13,14'],
])('[%s] goes out as %s', (macro, value) => {
  expect(filled(macro)).toBe(encodeURIComponent(value));
});

it('the id type and the state of the player are those of this kiosk', () => {
  expect(filled('IFATYPE', { kiosk: { dnt: '0', idfa: 'some-id' } })).toBe('idfa');
  expect(filled('IFATYPE', { kiosk: { dnt: '0' } })).toBe('[IFATYPE]');
  expect(filled('PLAYERSTATE', { event: { isMuted: false } })).toBe('fullscreen');
});

it('[REGULATIONS] names COPPA where the settings do, and is not filled where none is known', () => {
  expect(filled('REGULATIONS', { kiosk: { coppa: '1' } })).toBe('coppa');
  expect(filled('REGULATIONS', { kiosk: { coppa: '0' } })).toBe('[REGULATIONS]');
});

it('[MEDIAMIME] lists the types that the kiosk shows', () => {
  expect(decodeURIComponent(filled('MEDIAMIME')).split(',')).toContain('video/mp4');
});

it('dnt and coppa hide the id type, and coppa also hides the location (rule 20)', () => {
  const { gid = '', lat = '', long = '' } = kiosk.params;
  for (const params of [
    { dnt: '1', gid, lat, long },
    { coppa: '1', gid, lat, long },
  ]) {
    expect(filled('LIMITADTRACKING', { kiosk: params })).toBe('1');
    expect(filled('IFATYPE', { kiosk: params })).toBe('[IFATYPE]');
  }
  expect(filled('LATLONG', { kiosk: { dnt: '1', lat, long } })).toBe('52.5%2C13.4');
  expect(filled('LATLONG', { kiosk: { coppa: '1', lat, long } })).toBe('[LATLONG]');
});

it('macros without a known value stay unchanged, and so do those of the event', () => {
  const unknown: MacroAd = { sequence: null, durationMs: null };
  for (const macro of ['UNIVERSALADID', 'ADSERVINGID', 'PODSEQUENCE', 'ADPLAYHEAD'])
    expect(filled(macro, { ad: unknown })).toBe(`[${macro}]`);
  expect(filled('ADPLAYHEAD', { ad: unknown, event: { share: 0 } })).toBe('00%3A00%3A00.000');
  for (const macro of ['REASON', 'ERRORCODE', 'IFA']) expect(filled(macro)).toBe(`[${macro}]`);
  expect(filled('REASON', { event: { reason: '2' } })).toBe('2');
});

it('no beacon gets the signature of a media URL, which only its server is to know', () => {
  const mediaUrl = 'https://cdn.example/a.mp4?id=7&Expires=1&KeyName=key&Signature=abc';
  expect(filled('ASSETURI', { event: { mediaUrl } })).toBe(
    encodeURIComponent('https://cdn.example/a.mp4?id=7'),
  );
});

it('a macro inside a value stays as it is', () => {
  const mediaUrl = 'https://cdn.example/a.mp4?c=[CACHEBUSTING]&t=%5BTIMESTAMP%5D&u=[UNIVERSALADID]';
  expect(filled('ASSETURI', { event: { mediaUrl } })).toBe(encodeURIComponent(mediaUrl));
});
