import { open } from 'node:fs/promises';
import { cut, type LogLevel, type LogPage, type LogQuery } from '../../shared/admin';

/** How much of the log's end is read, bytes. */
const LOOKED_AT = 1024 * 1024;
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
const LINE = /^(\d{4}-\d\d-\d\dT\S+) (debug|info|warn|error) (.*)$/;
/** Redacts again what looks like a secret; writers of the log redact first (rule 23). */
const SECRETS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bBearer\s+[\w.~+/=-]+/gi, 'Bearer …'],
  [/scrypt\$[\w$-]+/g, 'scrypt$…'],
  [/([?&](?:key|token|apptoken|client_secret|sig|signature|secret|password)=)[^&\s"]+/gi, '$1…'],
  [/("(?:[^"]*(?:secret|token|password|pinHash))"\s*:\s*)"[^"]*"/gi, '$1"…"'],
];

/**
 * The last megabyte of the log, over the file that was put aside when it was full, or less where both are shorter; null
 * where there is none. `cut`: there are older lines.
 */
export async function readLogEnd(file: string): Promise<{ text: string; cut: boolean } | null> {
  const end = await lastLines(file, LOOKED_AT);
  if (end === null || end.cut) return end;
  const before = await lastLines(file.replace(/\.log$/, '.old.log'), LOOKED_AT - Buffer.byteLength(end.text));
  return before ? { text: before.text + end.text, cut: before.cut } : end;
}

/** The whole lines in the last `most` bytes of a file; `cut`: there are more. */
async function lastLines(file: string, most: number): Promise<{ text: string; cut: boolean } | null> {
  const handle = await open(file, 'r').catch(() => null);
  if (!handle) return null;
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - most);
    const buffer = Buffer.alloc(size - from);
    const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, from);
    const text = buffer.toString('utf8', 0, bytesRead);
    return from === 0 ? { text, cut: false } : { text: text.slice(text.indexOf('\n') + 1), cut: true };
  } finally {
    await handle.close();
  }
}

/** The lines of a log that a query finds, latest first. Lines of another form belong to the line before. */
export function logPage(end: Awaited<ReturnType<typeof readLogEnd>>, query: LogQuery): LogPage {
  if (!end) return { lines: [], cut: false };
  const wanted = query.search.trim().toLowerCase();
  const least = LEVELS.indexOf(query.level);
  const lines: LogPage['lines'] = [];
  let rest = '';
  for (const raw of end.text.split('\n').reverse()) {
    if (lines.length >= query.limit) return { lines, cut: true };
    const [, time, word, text] = LINE.exec(raw) ?? [];
    if (text === undefined) {
      rest = raw === '' ? rest : `${raw}\n${rest}`.slice(0, 2_000);
      continue;
    }
    const whole = withoutSecrets(rest === '' ? text : `${text}\n${rest}`);
    rest = '';
    const level = LEVELS.find((known) => known === word) ?? 'debug';
    if (LEVELS.indexOf(level) < least || !whole.toLowerCase().includes(wanted)) continue;
    const at = Date.parse(time ?? '');
    lines.push({ at: Number.isNaN(at) ? null : at, level, text: cut(whole.trimEnd(), 1_000) });
  }
  return { lines, cut: end.cut };
}

function withoutSecrets(text: string): string {
  return SECRETS.reduce((plain, [pattern, instead]) => plain.replace(pattern, instead), text);
}
