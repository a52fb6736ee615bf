import { useLayoutEffect, useRef } from 'react';

/** Blurred at a fraction of its size: the same to look at, and no work for a slow machine. All in px. */
const WIDTH = 48;
const HEIGHT = 27;
const BLUR = 7;
/** So dark that words on the light of a white picture keep a contrast of 4.5. */
const BRIGHTNESS = 0.5;

/** The picture's colours as a soft light behind the card; nothing where it cannot be drawn. */
export function Ambience({ url, pixels }: { readonly url: string; readonly pixels: ImageBitmap | null }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    let isCurrent = true;
    const draw = (picture: CanvasImageSource) => {
      const context = canvas.current?.getContext('2d');
      if (!isCurrent || !context) return;
      context.filter = `blur(${BLUR}px) brightness(${BRIGHTNESS})`;
      // Beyond its edges, which a blur would fade out.
      context.drawImage(picture, -BLUR, -BLUR, WIDTH + 2 * BLUR, HEIGHT + 2 * BLUR);
    };
    if (pixels !== null) {
      draw(pixels);
      return;
    }
    const image = new Image();
    image.src = url;
    image.decode().then(
      () => draw(image),
      () => {
        // The picture itself reports that it is broken.
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [url, pixels]);
  return <canvas className="native-ambience" ref={canvas} width={WIDTH} height={HEIGHT} />;
}
