/** MIME type of a creative that is a page: one HTML document. */
export const PAGE_TYPE = 'text/html';

/** How a file is shown: as a picture or video, or as a page. A page is accepted only where one is expected. */
export type MediaForm = 'media' | 'page';

/** How many of a file's first bytes are enough to detect its type; the size that `file-type` asks for. */
export const TYPE_BYTES = 4_100;

/** How many bytes of a picture are read: a photograph may have megabytes of metadata before its size. */
export const MAX_HEAD_BYTES = 4 * 1024 * 1024;

/** Largest page, bytes: far more than a page without files of its own needs. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Why a file cannot be shown, found without decoding it. `detail`: what was expected and what came. */
export interface StructureError {
  readonly code: 'not-media' | 'truncated' | 'too-many-pixels' | 'undecodable';
  readonly detail: string;
}

export const truncated = (detail: string): StructureError => ({ code: 'truncated', detail });
export const undecodable = (detail: string): StructureError => ({ code: 'undecodable', detail });
export const notMedia = (detail: string): StructureError => ({ code: 'not-media', detail });
