/** A creative that is a page of its own, in one document. */
export const PAGE_TYPE = 'text/html';

/** Whether a file is shown as a picture or a video, or as a page: a page is taken only where one was expected. */
export type MediaForm = 'media' | 'page';

/** First bytes of a file that tell its type, as many as `file-type` asks for. */
export const TYPE_BYTES = 4_100;

/** Bytes of a picture that are looked at: a photograph may have megabytes of notes before its size. */
export const MAX_HEAD_BYTES = 4 * 1024 * 1024;

/** Bytes of a page: far more than one without files of its own needs. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** What keeps a file from being shown, found without decoding it. Detail: what was expected, what is there. */
export interface StructureError {
  readonly code: 'not-media' | 'truncated' | 'too-many-pixels' | 'undecodable';
  readonly detail: string;
}

export const truncated = (detail: string): StructureError => ({ code: 'truncated', detail });
export const undecodable = (detail: string): StructureError => ({ code: 'undecodable', detail });
export const notMedia = (detail: string): StructureError => ({ code: 'not-media', detail });
