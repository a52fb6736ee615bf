/**
 * Runs in a gallery's page. Returns one sentence for each layout error of the overlay, or of what shoppers see: an
 * element that leaves the scene or its box, a button or input smaller than 48 px either way, our own text that is cut,
 * parts that overlap, a row of action cards that is not full, or a digit of the PIN pad that is not in its place.
 */
export function layoutErrors(): string[] {
  const scene = document.querySelector('.a-screen, .native-card, .link-frame, .announcement');
  if (scene === null) return ['nothing is shown'];
  // Its pages scroll downwards. Everything else shows texts from outside, which may be cut.
  const isOverlay = scene.matches('.a-screen');
  const found: string[] = [];
  const bounds = scene.getBoundingClientRect();
  const slack = 1.5;
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} "${(element.textContent ?? '').slice(0, 30)}"`;
  for (const element of scene.querySelectorAll('*')) {
    const style = getComputedStyle(element);
    if (element.closest('svg') !== null && element.tagName !== 'svg') continue;
    if (element.tagName === 'CANVAS' || style.display === 'none' || !element.checkVisibility()) continue;
    // Text that an ellipsis replaces is not visible.
    const parent = element.parentElement;
    if (!isOverlay && parent && getComputedStyle(parent).textOverflow === 'ellipsis') continue;
    const box = element.getBoundingClientRect();
    const isOutside =
      box.left < bounds.left - slack ||
      box.right > bounds.right + slack ||
      (!isOverlay && (box.top < bounds.top - slack || box.bottom > bounds.bottom + slack));
    if (isOutside)
      found.push(
        `${name(element)} leaves the scene: ${[box.left, box.top, box.right, box.bottom].map(Math.round)}`,
      );
    const { scrollWidth, clientWidth } = element;
    const isCut = style.textOverflow === 'ellipsis';
    const isFromOutside = !isOverlay || element.closest('.a-cut, .a-table td') !== null;
    if (isCut && !isFromOutside && scrollWidth > clientWidth)
      found.push(`${name(element)} is cut: ${scrollWidth} px of words in ${clientWidth}`);
    // The ellipsis of a clamped text may overflow by its own width, and is cut off there.
    const ellipsis = style.webkitLineClamp === 'none' ? 1 : Number.parseFloat(style.fontSize);
    if (!isCut && element.tagName !== 'INPUT' && clientWidth > 0 && scrollWidth > clientWidth + ellipsis)
      found.push(`${name(element)} is ${scrollWidth} px wide inside ${clientWidth}`);
    if (element.tagName === 'BUTTON' || element.tagName === 'INPUT') {
      // A row of a table is pressed as a whole.
      const pressed = element.classList.contains('a-row-button') ? element.closest('tr') : null;
      const { width, height } = (pressed ?? element).getBoundingClientRect();
      if (width < 48 || height < 48)
        found.push(`${name(element)} is too small to press: ${width} × ${height}`);
    }
  }
  const apart = [
    ...scene.querySelectorAll(
      '.native-frame, .native-head, .native-title, .native-description, .native-action, .native-foot, ' +
        '.link-view, .link-bar, .qr-code, .announcement-mark, .announcement-text',
    ),
  ];
  for (const [index, one] of apart.entries()) {
    for (const other of apart.slice(index + 1)) {
      if (one.contains(other)) continue;
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > slack && down > slack)
        found.push(`${name(one)} lies on ${name(other)} by ${Math.round(down)} px`);
    }
  }
  // The last row of action cards must be full.
  for (const cards of scene.querySelectorAll('.a-action-cards')) {
    const last = cards.lastElementChild?.getBoundingClientRect();
    if (last && cards.getBoundingClientRect().right - last.right > slack)
      found.push(`the last row of ${name(cards)} is not full`);
  }
  for (const pad of scene.querySelectorAll('.a-pin')) {
    const boxes = new Map<string | undefined, DOMRect>();
    for (const key of pad.querySelectorAll('button')) {
      const words = key.textContent ?? '';
      if (/^\d$/.test(words)) boxes.set(words, key.getBoundingClientRect());
    }
    if (boxes.size !== 10) found.push(`a PIN pad has ${boxes.size} digits`);
    for (const [left, right] of ['12', '23', '45', '56', '78', '89']) {
      const [one, other] = [boxes.get(left), boxes.get(right)];
      if (one && other && (one.right > other.left || Math.abs(one.top - other.top) > slack))
        found.push(`${right} is not to the right of ${left}`);
    }
    for (const [upper, lower] of ['14', '25', '36', '47', '58', '69', '80']) {
      const [one, other] = [boxes.get(upper), boxes.get(lower)];
      if (one && other && (one.bottom > other.top || Math.abs(one.left - other.left) > slack))
        found.push(`${lower} is not below ${upper}`);
    }
  }
  return found;
}
