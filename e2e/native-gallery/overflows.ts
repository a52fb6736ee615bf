/**
 * Runs in the page. Returns one sentence for each layout error of the scene: an element that leaves the
 * scene, a line that leaves its box, or parts that overlap.
 */
export function overflows(): string[] {
  const scene = document.querySelector('.native-card, .link-frame, .announcement');
  if (scene === null) return ['nothing is shown'];
  const found: string[] = [];
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`;
  const bounds = scene.getBoundingClientRect();
  const slack = 1.5;
  for (const element of scene.querySelectorAll('*')) {
    const style = getComputedStyle(element);
    if (element.closest('svg') !== null && element.tagName !== 'svg') continue;
    if (element.tagName === 'CANVAS' || style.display === 'none') continue;
    // Text that an ellipsis replaces is not visible.
    if (
      element.parentElement !== null &&
      getComputedStyle(element.parentElement).textOverflow === 'ellipsis'
    ) {
      continue;
    }
    const box = element.getBoundingClientRect();
    const outside =
      box.left < bounds.left - slack ||
      box.top < bounds.top - slack ||
      box.right > bounds.right + slack ||
      box.bottom > bounds.bottom + slack;
    if (outside) {
      found.push(
        `${name(element)} leaves the scene: ${[box.left, box.top, box.right, box.bottom].map(Math.round)}`,
      );
    }
    // The ellipsis of a clamped text may overflow by its own width, and is cut off there.
    const ellipsis = style.webkitLineClamp === 'none' ? 1 : Number.parseFloat(style.fontSize);
    if (
      element.scrollWidth > element.clientWidth + ellipsis &&
      style.textOverflow !== 'ellipsis' &&
      (element.textContent ?? '') !== '' &&
      element.clientWidth > 0
    ) {
      found.push(`${name(element)} is ${element.scrollWidth} px wide inside ${element.clientWidth}`);
    }
    if (element.tagName === 'BUTTON' && (box.width < 48 || box.height < 48)) {
      found.push(
        `${name(element)} is too small to tap: ${Math.round(box.width)} × ${Math.round(box.height)}`,
      );
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
  return found;
}
