import { describe, expect, it } from 'vitest';
import { readInPlace } from '../../reading/testing/read-in-place';
import { bytesOf } from '../testing/bytes-of';
import { checkStructure } from './check-structure';

const check = (text: string | Uint8Array) =>
  checkStructure(readInPlace, bytesOf(typeof text === 'string' ? Buffer.from(text) : text), 'page');
const whole = '<!doctype html><html><body style="background:#c22"><h1>Fresh bread</h1></body></html>';

describe('a page creative', () => {
  it.each([
    ['plain', whole],
    [
      'with white space, a byte order mark and comments around',
      `\ufeff<!-- by a tool -->\n${whole}\n<!-- end -->\n`,
    ],
    ['in capitals', whole.toUpperCase()],
    ['without a doctype', '<html lang="de"><body>Guten Tag</body></html>'],
  ])('is accepted: %s', async (_how, text) => {
    expect(await check(text)).toEqual({ type: 'text/html' });
  });

  it.each([
    ['nothing', '', 'not-media'],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47]), 'undecodable'],
    ['JSON', '{"status":"error"}', 'not-media'],
    ['a page cut off', whole.slice(0, -10), 'truncated'],
    ['a page whose end is in a comment', `${whole.slice(0, -7)}<!-- </html> -->`, 'truncated'],
    ['a log-in page', whole.replace('<h1>', '<form action="/login"><h1>'), 'not-media'],
    [
      'a page that leads elsewhere',
      whole.replace('<body', '<meta http-equiv="refresh" content="0;url=//x"><body'),
      'not-media',
    ],
    ['another encoding', Buffer.concat([Buffer.from(whole), Buffer.from([0xe4, 0xf6])]), 'undecodable'],
    ['megabytes', whole.replace('Fresh', 'x'.repeat(5_000_000)), 'undecodable'],
  ])('is refused: %s', async (_what, text, code) => {
    expect(await check(text)).toMatchObject({ code });
  });

  it('is refused where a picture or video is expected, like a portal’s page', async () => {
    expect(await checkStructure(readInPlace, bytesOf(Buffer.from(whole)))).toMatchObject({
      code: 'not-media',
    });
  });
});
