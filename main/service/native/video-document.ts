import { readVast } from '../ads-reading/vast';
import type { Unreadable, VastDocument } from '../ads-reading/vast-document';

/** The VAST of a `vast2` asset; `no-text`: there is none in it. */
export type VideoDocument = VastDocument | Unreadable | { readonly kind: 'no-text' };

/** One creative and its alternatives, not a playlist. UTF-16 code units, and ads. */
const LIMITS = { document: 1024 * 1024, ads: 50 };

/** Reads the XML of a `vast2` asset. It carries no service metadata and needs none (rule 2). */
export function readVideoDocument(vast: unknown): VideoDocument {
  return typeof vast === 'string'
    ? readVast(vast, { extensionType: null, limits: LIMITS })
    : { kind: 'no-text' };
}
