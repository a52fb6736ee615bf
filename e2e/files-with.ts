import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../main/describe-error';

/** Every file under a folder that holds one of these texts, in UTF-8 or UTF-16. */
export function filesWith(path: string, texts: readonly string[]): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = contentOf(file);
      const holds = (text: string) => bytes?.includes(text) || bytes?.includes(Buffer.from(text, 'utf16le'));
      return texts.some(holds);
    });
}

/** Null when the file is gone: Chromium's last processes run a moment longer than main and remove their files. */
function contentOf(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** A secret as it is, URL-encoded and in base64. */
export const inEveryForm = (secret: string): string[] => [
  ...new Set([secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]),
];

/** The bearer tokens that were sent with these requests, each once. */
export const tokensOf = (
  requests: ReadonlyArray<{ readonly headers: Readonly<Record<string, string | undefined>> }>,
): string[] => [
  ...new Set(requests.flatMap(({ headers }) => headers.authorization?.replace(/^Bearer /, '') ?? [])),
];
