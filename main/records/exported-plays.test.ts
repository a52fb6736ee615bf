import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProvenPlay } from '../../shared/play-report';
import { cell, exportHead, exportLines } from './exported-plays';
import { provenPlay } from './testing/proven-plays';
import { readCsv } from './testing/read-csv';

/** The text of a cell before it was escaped. */
const unescaped = (text: string) => (text.startsWith("'") ? text.slice(1) : text);

describe('an export as CSV', () => {
  it('has a header line and one line per play, each ended by CRLF', () => {
    const text = exportHead('csv') + exportLines('csv', [provenPlay('a'), provenPlay('b')]);
    expect(text.split('\r\n')).toHaveLength(4);
    const [head, first] = readCsv(text);
    expect(head?.slice(0, 4)).toEqual(['id', 'at', 'shownAt', 'outcome']);
    expect(first?.slice(0, 4)).toEqual([
      'a',
      '2026-11-20T09:30:00.000Z',
      '2026-11-20T09:30:00.020Z',
      'completed',
    ]);
    expect(first).toHaveLength(head?.length ?? 0);
  });

  it('names the request, flight, campaign and source of a play', () => {
    const [line = ''] = exportLines('ndjson', [provenPlay('a')]).split('\n');
    expect(JSON.parse(line)).toMatchObject({
      requestId: 'request-1',
      flightId: 'flight-1',
      campaignId: 'campaign-1',
      source: 'SOURCE_TYPE_CMS',
      sourceId: 'cms-1',
    });
  });

  it('names the creative as its native answer or its ads document does, and null where neither does', () => {
    const native = { assetGroupId: '77', creativeId: 'c-1', bundleId: 'app.example', revenueModel: 'CPC' };
    const creative = {
      sha256: null,
      mediaType: null,
      universalAdId: null,
      adServingId: null,
      creativeId: 'c-2',
    };
    const plays = [provenPlay('a', { native, creative }), provenPlay('b'), provenPlay('c', { creative })];
    const lines = exportLines('ndjson', plays).trim().split('\n');
    const [first, second, third] = lines.map((line) => JSON.parse(line));
    const unknown = { assetGroupId: null, creativeId: null, bundleId: null, revenueModel: null };
    expect(first).toMatchObject(native);
    expect(second).toMatchObject(unknown);
    expect(third).toMatchObject({ ...unknown, creativeId: 'c-2' });
  });

  it('has the guest errors of a banner or page, and null for other plays', () => {
    const guestErrors = ['Uncaught Error: broken', "the page's policy: img-src"];
    const lines = exportLines('ndjson', [provenPlay('a', { guestErrors }), provenPlay('b')])
      .trim()
      .split('\n');
    const [first, second] = lines.map((line) => JSON.parse(line));
    expect(first.guestErrors).toBe("Uncaught Error: broken; the page's policy: img-src");
    expect(second.guestErrors).toBeNull();
  });

  it('has the viewed time, the length in whole milliseconds, frames, dropped frames and stalls of a video', () => {
    const seen = {
      viewedMs: 7_000,
      durationMs: 8_341.667,
      presentedFrames: 190,
      droppedFrames: 4,
      stalls: 2,
    };
    const [head = [], line = []] = readCsv(
      exportHead('csv') + exportLines('csv', [provenPlay('a', { ...seen })]),
    );
    const cells = Object.fromEntries(head.map((column, index) => [column, line[index]]));
    expect(cells).toMatchObject({
      viewedMs: '7000',
      durationMs: '8342',
      presentedFrames: '190',
      droppedFrames: '4',
      stalls: '2',
    });
  });

  it.each([
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['＝1', "'＝1"],
    ["'quoted", "''quoted"],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['', '""'],
    ['plain', 'plain'],
  ])('writes %j as %j', (value, written) => {
    expect(cell(value)).toBe(written);
  });

  it('writes numbers unchanged and null as an empty cell', () => {
    expect([cell(-1), cell(0), cell(null)]).toEqual(['-1', '0', '']);
  });

  it('writes every text so that it reads back the same and is no formula', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }), (texts) => {
        const [row] = readCsv(`${texts.map(cell).join(',')}\r\n`);
        expect(row?.map(unescaped)).toEqual(texts);
        for (const text of row ?? []) expect(text).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });
});

it('lists the result of each JavaScript beacon of a play', () => {
  const play: ProvenPlay = {
    ...provenPlay('a'),
    scripts: [
      { position: 1, result: 'ran', detail: null },
      { position: 3, result: 'threw', detail: 'x is not defined' },
      {
        position: 4,
        result: 'threw',
        detail: "Unexpected '?' at https://u:p@cdn.example/b.js?key=SECRET (#2)",
      },
    ],
  };
  const words =
    "1 ran; 3 threw (x is not defined); 4 threw (Unexpected '?' at https://cdn.example/b.js?… (#2))";
  expect(JSON.parse(exportLines('ndjson', [play]))).toMatchObject({ scripts: words });
  const [head, line] = readCsv(exportHead('csv') + exportLines('csv', [play]));
  expect(line?.[head?.indexOf('scripts') ?? -1]).toBe(words);
  expect(JSON.parse(exportLines('ndjson', [provenPlay('b')]))).toMatchObject({ scripts: null });
});

describe('an export as NDJSON', () => {
  it('is one object a line with the same fields in the same order', () => {
    const lines = exportLines('ndjson', [provenPlay('a'), provenPlay('b')]).split('\n');
    expect(lines).toHaveLength(3);
    const first = JSON.parse(lines[0] ?? '');
    expect(Object.keys(first).join(',')).toBe(exportHead('csv').trimEnd());
    expect(first).toMatchObject({ id: 'a', shownAt: '2026-11-20T09:30:00.020Z', beaconsSent: 2 });
  });
});

it('neither format contains the key of a signed media address', () => {
  const play: ProvenPlay = provenPlay('a', { mediaUrl: 'https://u:p@cdn.example/a.mp4?sig=SECRET' });
  for (const format of ['csv', 'ndjson'] as const) {
    expect(exportLines(format, [play])).not.toMatch(/SECRET|u:p/);
  }
});
