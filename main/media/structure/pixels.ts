import { type StructureFault, undecodable } from './structure-fault';

/** Largest picture that is decoded, in pixels: 200 MB of memory, twice what an 8K screen shows. */
const MAX_PIXELS = 50_000_000;

/** Refuses pictures without a surface, and those that would take the window's memory with them. */
export function checkPixels(width: number, height: number): StructureFault | null {
  if (width === 0 || height === 0) return undecodable(`its size is ${width} × ${height} pixels`);
  if (width * height <= MAX_PIXELS) return null;
  return {
    code: 'too-many-pixels',
    detail: `${width} × ${height} pixels; at most ${MAX_PIXELS / 1e6} million are decoded`,
  };
}
