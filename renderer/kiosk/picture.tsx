import { useLayoutEffect, useRef, useState } from 'react';
import { clearCanvas } from './backdrop';
import { disableCanvasDrawing, drawAsSeen } from './still-picture';
import type { Fit } from './view';

interface PictureProps {
  readonly url: string;
  /** The bitmap is closed once it is drawn. */
  readonly pixels: ImageBitmap | null;
  readonly fit: Fit;
  /** Empty: it is hidden from assistive technology. */
  readonly title: string;
}

/** An ad's picture: its `pixels` drawn in a canvas, or, without them or when canvases were lost, an image element. */
export function Picture({ url, pixels, fit, title }: PictureProps) {
  const still = useRef<HTMLCanvasElement>(null);
  const [isLost, setLost] = useState(false);
  useLayoutEffect(() => {
    const canvas = still.current;
    if (canvas === null || pixels === null) return;
    drawAsSeen(canvas, pixels, fit);
    canvas.addEventListener('contextlost', () => {
      disableCanvasDrawing();
      setLost(true);
    });
    return () => clearCanvas(canvas);
  }, [pixels, fit]);
  // If Chromium dropped what was decoded ahead, `sync` makes a swap of layers wait instead of drawing nothing.
  if (pixels === null || isLost) return <img src={url} alt={title} decoding="sync" draggable={false} />;
  return <canvas ref={still} className="still" role="img" aria-label={title} aria-hidden={title === ''} />;
}
