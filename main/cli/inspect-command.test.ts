import { describe, expect, it } from 'vitest';
import { exportLines } from '../records/exported-plays';
import { provenPlay } from '../records/testing/proven-plays';
import { runInspect } from './inspect-command';

const NOW = Date.UTC(2026, 4, 1, 12);
const HOUR = 'FREQUENCY_CAP_WINDOW_HOUR';

const MEDIA =
  '<MediaFile delivery="progressive" type="video/mp4" width="1920" height="1080">https://cdn.example/a.mp4</MediaFile>';

function ad(id: string, metadata: Record<string, unknown>, media = MEDIA): string {
  const json = JSON.stringify({ request_id: 'r', ...metadata });
  return `<Ad id="${id}"><InLine><Impression>https://t.example/i</Impression><Creatives><Creative><Linear>
    <Duration>00:00:10</Duration>
    <TrackingEvents><Tracking event="start">https://t.example/s</Tracking></TrackingEvents>
    <MediaFiles>${media}</MediaFiles>
  </Linear></Creative></Creatives><Extensions><Extension type="service-metadata"><![CDATA[${json}]]></Extension></Extensions></InLine></Ad>`;
}

function vast(...ads: string[]): string {
  return `<?xml version="1.0"?><VAST version="4.2">${ads.join('')}</VAST>`;
}

/** Runs the command over files that exist only here. */
function run(args: string[], files: Record<string, string | Uint8Array>, columns = 100) {
  return runInspect(args, {
    now: () => NOW,
    columns,
    readFile: async (path) => {
      const file = files[path];
      if (file === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
      return typeof file === 'string' ? new TextEncoder().encode(file) : file;
    },
  });
}

async function json(args: string[], files: Record<string, string>) {
  const { exitCode, stdout, stderr } = await run([...args, '--json'], files);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('inspect --json', () => {
  it('prints every field of an ad, in order', async () => {
    const metadata = {
      flight_id: 'f',
      campaign_id: 'c',
      source: 'SOURCE_TYPE_CMS',
      source_id: 's',
      expires_at: '2026-05-02T00:00:00+02:00',
      frequency_caps: [{ window: HOUR, limit: 3 }],
    };
    const plays = [
      { flightId: 'f', at: '2026-05-01T12:00:00Z' },
      { flightId: 'f', at: '2026-05-01T11:59:59Z' },
      { flightId: 'other', at: '2026-05-01T12:00:00Z' },
    ];
    const { stdout } = await run(['a.xml', '--plays', 'p.json', '--json'], {
      'a.xml': vast(ad('1', metadata), '<Ad id="bad"/>'),
      'p.json': JSON.stringify(plays),
    });
    expect(stdout).toBe(
      `${JSON.stringify(
        {
          at: '2026-05-01T12:00:00Z',
          ads: [
            {
              id: '1',
              requestId: 'r',
              flightId: 'f',
              campaignId: 'c',
              sourceId: 's',
              expiresAt: '2026-05-01T22:00:00Z',
              source: 'SOURCE_TYPE_CMS',
              durationMs: 10_000,
              eligible: true,
              reasons: [],
              detail: 'It has no audience, so it matches everyone. It may play until 2026-05-01T22:00:00Z.',
              caps: [{ window: HOUR, limit: 3, used: 1 }],
              media: { url: 'https://cdn.example/a.mp4', type: 'video/mp4' },
              impressions: ['https://t.example/i'],
              tracking: [{ event: 'start', url: 'https://t.example/s' }],
            },
          ],
          rejected: [{ id: 'bad', code: 'malformed-ad', detail: 'neither <InLine> nor <Wrapper>' }],
        },
        null,
        2,
      )}\n`,
    );
  });

  it('prints null for missing fields of an ad', async () => {
    const report = await json(['a.xml'], {
      'a.xml': vast(ad('1', {}, '').replace(/<Duration>.*<\/Duration>/, '')),
    });
    expect(report.ads[0]).toMatchObject({
      flightId: null,
      campaignId: null,
      sourceId: null,
      source: null,
      expiresAt: null,
      durationMs: null,
      media: null,
      eligible: false,
      reasons: ['no-media'],
    });
  });

  it.each([
    ['expired', { expires_at: '2026-05-01T11:59:59Z' }],
    ['audience', { audience: { targeting_groups: [] } }],
    ['capped', { flight_id: 'f', frequency_caps: [{ window: HOUR }] }],
    ['uncountable', { frequency_caps: [{ window: HOUR, limit: 3 }] }],
  ])('says why an ad may not play: %s', async (reason, metadata) => {
    const report = await json(['a.xml'], { 'a.xml': vast(ad('1', metadata)) });
    expect(report.ads[0]).toMatchObject({ eligible: false, reasons: [reason] });
    expect(report.ads[0].detail).not.toBe('');
  });

  it('judges at the time given', async () => {
    const files = { 'a.xml': vast(ad('1', { expires_at: '2026-05-01T12:00:00Z' })) };
    const at = async (...args: string[]) => (await json(['a.xml', ...args], files)).ads[0].eligible;
    expect(await at()).toBe(true);
    expect(await at('--at', '2026-05-01T12:00:00.001Z')).toBe(false);
    expect(await at('--at=2026-05-01T14:00:00+02:00')).toBe(true);
  });

  it('judges with the given context, in the format of the local API', async () => {
    const audience = (condition: unknown) => ({
      audience: { targeting_groups: [{ conditions: [condition] }] },
    });
    const files = {
      'a.xml': vast(
        ad('woman', audience({ demographic: { profiles: [{ gender: 'GENDER_FEMALE' }] } })),
        ad('milk', audience({ device: { basket: { items: ['Milk'] } } })),
        ad('warm', audience({ store: { weather_types: ['WEATHER_TYPE_ABOVE_20_CELSIUS'] } })),
        ad('cold', audience({ store: { weather_types: ['WEATHER_TYPE_BELOW_10_CELSIUS'] } })),
      ),
      'c.json': JSON.stringify({
        shopper: { people: [{ gender: 'GENDER_FEMALE' }], ttlSeconds: 10 },
        cart: { items: [' milk '] },
        weather: { temperatureCelsius: 24.5 },
      }),
      'cold.json': '{"weather":{"temperatureCelsius":9.9},"cart":null}',
    };
    const playing = async (...args: string[]) =>
      (await json(['a.xml', ...args], files)).ads
        .filter((one: { eligible: boolean }) => one.eligible)
        .map((one: { id: string }) => one.id);
    expect(await playing()).toEqual([]);
    expect(await playing('--context', 'c.json')).toEqual(['woman', 'milk', 'warm']);
    expect(await playing('--context', 'cold.json')).toEqual(['cold']);
  });

  it('chooses media for the screen given', async () => {
    const upright = MEDIA.replace('1920', '1080')
      .replace('height="1080"', 'height="1920"')
      .replace('a.mp4', 'b.mp4');
    const files = { 'a.xml': vast(ad('1', {}, MEDIA + upright)) };
    const url = async (...args: string[]) => (await json(['a.xml', ...args], files)).ads[0].media.url;
    expect(await url()).toBe('https://cdn.example/a.mp4');
    expect(await url('--screen', '1080x1920')).toBe('https://cdn.example/b.mp4');
  });

  it('finds the type of media if the document does not state it', async () => {
    const media = '<MediaFile>https://cdn.example/a.webp</MediaFile>';
    const report = await json(['a.xml'], { 'a.xml': vast(ad('1', {}, media)) });
    expect(report.ads[0].media).toEqual({ url: 'https://cdn.example/a.webp', type: 'image/webp' });
  });

  it('prints no control characters', async () => {
    const { stdout } = await run(['a.xml', '--json'], { 'a.xml': vast(ad('\u009b31mred', {})) });
    expect(stdout).not.toContain('\u009b');
    expect(JSON.parse(stdout).ads[0].id).toBe('\u009b31mred');
  });

  it('follows no wrapper', async () => {
    const wrapper = ad('w', {})
      .replaceAll('InLine>', 'Wrapper>')
      .replace('<Wrapper>', '<Wrapper><VASTAdTagURI>https://ads.example/</VASTAdTagURI>');
    const report = await json(['a.xml'], { 'a.xml': vast(wrapper) });
    expect(report).toMatchObject({ ads: [], rejected: [{ id: 'w', code: 'wrapper-unresolved' }] });
  });

  it('reads no fill, standard input, UTF-16 and another extension type', async () => {
    expect(await json(['-'], { '-': '<VAST/>' })).toEqual({
      at: '2026-05-01T12:00:00Z',
      ads: [],
      rejected: [],
    });
    const wide = new Uint8Array(Buffer.from(`\ufeff${vast(ad('é', {}))}`, 'utf16le'));
    expect(JSON.parse((await run(['a.xml', '--json'], { 'a.xml': wide })).stdout).ads[0].id).toBe('é');
    const files = { 'a.xml': vast(ad('1', {})).replace('service-metadata', 'brand') };
    expect((await json(['a.xml'], files)).rejected).toHaveLength(1);
    expect((await json(['a.xml', '--extension', 'brand'], files)).ads).toHaveLength(1);
  });
});

describe('inspect', () => {
  it('prints a table with the reasons in words', async () => {
    const { stdout, exitCode } = await run(['a.xml', '--at', '2026-05-01T12:00:00Z'], {
      'a.xml': vast(
        ad('first', { flight_id: 'summer', source_id: 'cms', frequency_caps: [{ window: HOUR, limit: 2 }] }),
        ad('second', { expires_at: '2026-01-01T00:00:00Z' }),
        '<Ad id="third"/>',
      ),
    });
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        'At 2026-05-01T12:00:00Z: 1 of 2 ads may play, 1 more rejected.',
        '',
        'AD      PLAYS  LENGTH  FLIGHT  SOURCE  MEDIA',
        'first   yes    10 s    summer  cms     https://cdn.example/a.mp4',
        '    It has no audience, so it matches everyone.',
        '    Caps used: FREQUENCY_CAP_WINDOW_HOUR 0/2.',
        'second  no     10 s    –       –       https://cdn.example/a.mp4',
        '    It expired at 2026-01-01T00:00:00Z.',
        '',
        'Rejected',
        '    third: malformed-ad, neither <InLine> nor <Wrapper>',
        '',
      ].join('\n'),
    );
  });

  it('keeps its table within the terminal, even with long names', async () => {
    const long = { flight_id: 'f'.repeat(300), source_id: 's'.repeat(300) };
    const media = MEDIA.replace('a.mp4', `${'m'.repeat(300)}.mp4`);
    const files = { 'a.xml': vast(ad('i'.repeat(300), long, media), ad('\u009b31mred', {})) };
    for (const columns of [10, 80, 132]) {
      const { stdout } = await run(['a.xml'], files, columns);
      for (const line of stdout.split('\n'))
        expect([...line].length).toBeLessThanOrEqual(Math.max(60, columns));
      expect(stdout).not.toContain('\u009b');
    }
  });

  it('says so when there is no fill', async () => {
    const { stdout } = await run(['a.xml'], { 'a.xml': '<VAST/>' });
    expect(stdout).toBe('At 2026-05-01T12:00:00Z: no fill, the response holds no ad.\n');
  });

  it.each([
    ['cut off', vast(ad('1', {})).slice(0, -1), /^inspect: a\.xml: malformed-xml: /],
    ['a web page', '<html><body>Sign in</body></html>', /not-vast: expected <VAST>, the root is <html>/],
    ['empty', '', /empty/],
    ['in an unknown encoding', '<?xml version="1.0" encoding="klingon"?><VAST/>', /encoding/],
  ])('exits 1 with one line when the response is %s', async (_, document, line) => {
    const { exitCode, stdout, stderr } = await run(['a.xml', '--json'], { 'a.xml': document });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(line);
    expect(stderr.match(/\n/g)).toHaveLength(1);
  });

  it('exits 1 when there is no such file', async () => {
    expect(await run(['a.xml'], {})).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'inspect: a.xml: cannot be read (ENOENT)\n',
    });
  });

  it.each([
    ['no file', []],
    ['two files', ['a.xml', 'b.xml']],
    ['an unknown option', ['a.xml', '--verbose']],
    ['an option without its value', ['a.xml', '--at']],
    ['a time that is none', ['a.xml', '--at', 'yesterday']],
    ['a date that is none', ['a.xml', '--at', '2026-02-30T00:00:00Z']],
    ['a screen that is none', ['a.xml', '--screen', '1920']],
    ['a screen of nothing', ['a.xml', '--screen', '0x0']],
    ['a context that is not there', ['a.xml', '--context', 'gone.json']],
    ['a context that is not JSON', ['a.xml', '--context', 'a.xml']],
    ['a context that is none', ['a.xml', '--context', 'list.json']],
    ['a context of the wrong types', ['a.xml', '--context', 'bad-context.json']],
    ['plays that are not there', ['a.xml', '--plays', 'gone.json']],
    ['plays that are no list', ['a.xml', '--plays', 'bad-context.json']],
    ['plays at no time', ['a.xml', '--plays', 'bad-plays.json']],
    ['lines of which one is none', ['a.xml', '--plays', 'torn.json']],
  ])('exits 2 with one line for %s', async (_, args) => {
    const { exitCode, stdout, stderr } = await run(args, {
      'a.xml': '<VAST/>',
      'b.xml': '<VAST/>',
      'list.json': '[]',
      'bad-context.json': '{"weather":{"types":"WEATHER_TYPE_SUNNY"}}',
      'bad-plays.json': '[{"flightId":"f","at":"noon"}]',
      'torn.json': '{"flightId":null,"at":"2026-05-01T12:00:00Z"}\n{"flightId"\n',
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^inspect: .+\n$/);
  });

  it('takes plays as the local API answers them, and counts none of which no frame was shown', async () => {
    const capped = { flight_id: 'f', frequency_caps: [{ window: HOUR, limit: 3 }] };
    const played = (play: Parameters<typeof provenPlay>[1]) => provenPlay('p', { at: NOW, ...play });
    const lines = exportLines('ndjson', [
      ...[played({ flightId: 'f' }), played({ flightId: 'f' })],
      ...[played({ flightId: 'f', outcome: 'given-back' }), played({ flightId: null })],
    ]);
    const files = { 'a.xml': vast(ad('1', capped)), 'none.json': '' };
    const used = async (plays: string) => {
      const { ads } = await json(['a.xml', '--plays', 'p.json'], { ...files, 'p.json': plays });
      return ads[0].caps[0].used;
    };
    expect(await used(lines)).toBe(2);
    expect(await used(lines.slice(0, lines.indexOf('\n')))).toBe(1);
    expect(await used('')).toBe(0);
  });

  it('says where a file is no JSON, and reads one with a byte order mark', async () => {
    const files = {
      'a.xml': '<VAST version="4.2"/>',
      'c.json': '{\n  "cart": null,\n}',
      'mark.json': '\uFEFF{}',
    };
    expect((await run(['a.xml', '--context', 'c.json'], files)).stderr).toBe(
      'inspect: --context: c.json: not JSON: line 3, column 1: expected a setting after "," (the last one has no comma after it)\n',
    );
    expect((await run(['a.xml', '--context', 'mark.json'], files)).stderr).toBe('');
  });

  it('shows its usage when asked', async () => {
    expect(await run(['--help'], {})).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('--context'),
    });
  });
});
