import type { ElectronApplication, Page } from 'playwright';

/** A laid-out line of text (CSS px), and its colour. */
interface Line {
  readonly text: string;
  readonly colour: readonly [number, number, number];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Texts whose contrast with their background is below `least` at some point, one sentence each. Unlike axe,
 * it also judges pictures and gradients: it compares with the pixels of the page without its texts.
 */
export async function faintTexts(app: ElectronApplication, page: Page, least: number): Promise<string[]> {
  const lines = await page.evaluate(visibleLines);
  await page.evaluate(() => {
    const hidden = new CSSStyleSheet();
    hidden.replaceSync(
      '* { color: transparent !important; -webkit-text-fill-color: transparent !important }',
    );
    document.adoptedStyleSheets = [hidden];
    // The screenshot shows the last drawn frame, so wait until the change is drawn.
    return new Promise<void>((drawn) => {
      requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => drawn())));
    });
  });
  const png = (await page.screenshot()).toString('base64');
  await page.evaluate(() => {
    document.adoptedStyleSheets = [];
  });
  return app.evaluate(
    ({ nativeImage }, judged) => {
      const picture = nativeImage.createFromBuffer(Buffer.from(judged.png, 'base64'));
      const { width, height } = picture.getSize();
      const pixels = picture.toBitmap();
      const light = (value: number) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      };
      const luminance = (red: number, green: number, blue: number) =>
        0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue);
      const found: string[] = [];
      for (const line of judged.lines) {
        const own = luminance(...line.colour);
        const [left, top] = [Math.ceil(line.x), Math.ceil(line.y)];
        const right = Math.min(width, Math.floor(line.x + line.width));
        const bottom = Math.min(height, Math.floor(line.y + line.height));
        let worst = Number.POSITIVE_INFINITY;
        for (let y = Math.max(0, top); y < bottom; y += 1)
          for (let x = Math.max(0, left); x < right; x += 1) {
            const at = 4 * (y * width + x);
            const [blue = 0, green = 0, red = 0] = pixels.subarray(at, at + 3);
            const behind = luminance(red, green, blue);
            worst = Math.min(worst, (Math.max(own, behind) + 0.05) / (Math.min(own, behind) + 0.05));
          }
        if (worst < judged.least) found.push(`${worst.toFixed(2)}: ${line.text.slice(0, 40)}`);
      }
      return found;
    },
    { png, lines, least },
  );
}

/** Runs in the page. */
function visibleLines(): Line[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: Line[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    const text = node.textContent?.trim() ?? '';
    if (element === null || text === '' || !element.checkVisibility({ visibilityProperty: true })) continue;
    const [red = 0, green = 0, blue = 0] = (getComputedStyle(element).color.match(/[\d.]+/g) ?? []).map(
      Number,
    );
    const range = document.createRange();
    range.selectNodeContents(node);
    const clips: DOMRect[] = [];
    for (let each: Element | null = element; each !== null; each = each.parentElement)
      if (getComputedStyle(each).overflow !== 'visible') clips.push(each.getBoundingClientRect());
    for (const line of range.getClientRects()) {
      const x = Math.max(line.left, ...clips.map(({ left }) => left));
      const y = Math.max(line.top, ...clips.map(({ top }) => top));
      const width = Math.min(line.right, ...clips.map(({ right }) => right)) - x;
      const height = Math.min(line.bottom, ...clips.map(({ bottom }) => bottom)) - y;
      if (width > 0 && height > 0) found.push({ text, colour: [red, green, blue], x, y, width, height });
    }
  }
  return found;
}
