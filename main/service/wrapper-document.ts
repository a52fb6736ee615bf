import type { FetchedDocument } from './ads-reading/wrappers';
import { decodeText } from './decode-text';
import type { Fetch } from './http';

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Gets the document a wrapper points to: no credentials, redirects followed (ad
 * servers live by them), at most 4 MB. Its macros are filled as for a beacon.
 */
export function wrapperDocuments(fetch: Fetch, fillMacros: (url: string) => string) {
  return async (url: string, signal: AbortSignal): Promise<FetchedDocument> => {
    const response = await fetch(fillMacros(url), {
      signal,
      credentials: 'omit',
      headers: { Accept: 'application/xml, text/xml' },
    });
    if (response.status === 204) return { kind: 'document', text: '<VAST/>' };
    if (!response.ok || !response.body) return { kind: 'error', message: `status ${response.status}` };
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BYTES) return { kind: 'error', message: `over ${MAX_BYTES} bytes` };
      chunks.push(chunk);
    }
    const text = decodeText(Buffer.concat(chunks), response.headers.get('content-type'));
    return text === null
      ? { kind: 'error', message: 'in an encoding nobody knows' }
      : { kind: 'document', text };
  };
}
