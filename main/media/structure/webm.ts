import { ascii, type ByteSource, type StructureFault, truncated, undecodable } from './byte-source';

const EBML_HEADER = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const DOC_TYPE = 0x4282;

/**
 * Whether a WebM file has its header and the whole of its one segment. A segment
 * of unknown length (a recording written as it came) is taken as it is.
 */
export async function checkWebm(source: ByteSource): Promise<StructureFault | null> {
  const head = await source.read(0, 4_096);
  const header = readElement(head, 0);
  if (header?.id !== EBML_HEADER || header.length === null) return undecodable('it has no EBML header');
  const end = header.from + header.length;
  if (end + 12 > head.length) return truncated(`it ends at byte ${source.length}, before its segment`);
  const kind = docType(head, header.from, end);
  if (kind !== 'webm' && kind !== 'matroska') return undecodable(`a file of type ${JSON.stringify(kind)}`);
  const segment = readElement(head, end);
  if (segment?.id !== SEGMENT) return undecodable('it has no segment');
  if (segment.length === null || segment.from + segment.length <= source.length) return null;
  return truncated(`it should have ${segment.from + segment.length} bytes, there are ${source.length}`);
}

function docType(bytes: Uint8Array, from: number, to: number): string | null {
  for (let at = from; at < to; ) {
    const element = readElement(bytes, at);
    if (!element || element.length === null) return null;
    if (element.id === DOC_TYPE) return ascii(bytes, element.from, element.from + element.length);
    at = element.from + element.length;
  }
  return null;
}

interface Element {
  readonly id: number;
  /** First byte of its content. */
  readonly from: number;
  /** Bytes of content; null when it says that it does not know. */
  readonly length: number | null;
}

/** An EBML element: an identifier and a length, both of as many bytes as their first one says. */
function readElement(bytes: Uint8Array, at: number): Element | null {
  const idLength = vintLength(bytes[at]);
  if (idLength === null || idLength > 4) return null;
  let id = 0;
  for (let index = 0; index < idLength; index += 1) id = id * 256 + (bytes[at + index] ?? 0);
  const sizeAt = at + idLength;
  const first = bytes[sizeAt];
  const sizeLength = vintLength(first);
  if (first === undefined || sizeLength === null || sizeAt + sizeLength > bytes.length) return null;
  let length = first & (0xff >> sizeLength);
  let unknown = length === 0xff >> sizeLength;
  for (let index = 1; index < sizeLength; index += 1) {
    const byte = bytes[sizeAt + index] ?? 0;
    length = length * 256 + byte;
    unknown &&= byte === 0xff;
  }
  return { id, from: sizeAt + sizeLength, length: unknown ? null : length };
}

function vintLength(first: number | undefined): number | null {
  return first === undefined || first === 0 ? null : Math.clz32(first) - 23;
}
