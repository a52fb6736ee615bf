/** What keeps a file from being shown, found without decoding it. Detail: what was expected, what is there. */
export interface StructureFault {
  readonly code: 'not-media' | 'truncated' | 'too-many-pixels' | 'undecodable';
  readonly detail: string;
}

export const truncated = (detail: string): StructureFault => ({ code: 'truncated', detail });
export const undecodable = (detail: string): StructureFault => ({ code: 'undecodable', detail });
export const notMedia = (detail: string): StructureFault => ({ code: 'not-media', detail });
