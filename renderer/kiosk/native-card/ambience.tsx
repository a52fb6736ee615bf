import { useEffect, useRef } from 'react';

/** Blurred at a fraction of its size: the same to look at, and no work for a slow machine. All in px. */
const WIDTH = 48;
const HEIGHT = 27;
const BLUR = 7;
/** So dark that words on the light of a white picture keep a contrast of 4.5. */
const BRIGHTNESS = 0.5;

/** The picture's colours as a soft light behind the card; nothing where it cannot be drawn. */
export function Ambience({ url }: { url: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const image = new Image();
    image.src = url;
    let current = true;
    image.decode().then(
      () => {
        const context = canvas.current?.getContext('2d');
        if (!current || !context) return;
        context.filter = `blur(${BLUR}px) brightness(${BRIGHTNESS})`;
        // Beyond its edges, which a blur would fade out.
        context.drawImage(image, -BLUR, -BLUR, WIDTH + 2 * BLUR, HEIGHT + 2 * BLUR);
      },
      () => {
        // The picture itself reports that it is broken.
      },
    );
    return () => {
      current = false;
    };
  }, [url]);
  return <canvas className="native-ambience" ref={canvas} width={WIDTH} height={HEIGHT} />;
}
