/**
 * Runs in the page. Returns one sentence for each layout error of the overlay: an element that leaves the
 * screen or its box sideways, our own text that is cut, a row of action cards that is not full, a button or
 * input smaller than 48 px either way, or a digit of the PIN pad that is not in its place.
 */
export function layoutErrors(): string[] {
  const scene = document.querySelector('.a-screen');
  if (scene === null) return ['nothing is shown'];
  const found: string[] = [];
  const bounds = scene.getBoundingClientRect();
  const slack = 1.5;
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} "${(element.textContent ?? '').slice(0, 30)}"`;
  for (const element of scene.querySelectorAll('*')) {
    if (element.closest('svg') !== null && element.tagName !== 'svg') continue;
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    if (style.display === 'none' || box.width === 0 || !element.checkVisibility()) continue;
    if (box.left < bounds.left - slack || box.right > bounds.right + slack) {
      found.push(`${name(element)} leaves the screen: ${Math.round(box.left)} to ${Math.round(box.right)}`);
    }
    // Text from outside may be cut; our own may not.
    const fromOutside = element.closest('.a-cut, .a-table td') !== null;
    if (style.textOverflow === 'ellipsis' && !fromOutside && element.scrollWidth > element.clientWidth) {
      found.push(`${name(element)} is cut: ${element.scrollWidth} px of words in ${element.clientWidth}`);
    }
    const cuts =
      style.textOverflow === 'ellipsis' || style.overflowX === 'auto' || style.overflowX === 'scroll';
    if (
      !cuts &&
      element.scrollWidth > element.clientWidth + 2 &&
      element.clientWidth > 0 &&
      element.tagName !== 'INPUT'
    ) {
      found.push(`${name(element)} is ${element.scrollWidth} px wide inside ${element.clientWidth}`);
    }
    if (style.overflowX === 'auto' && element.scrollWidth > element.clientWidth + 2) {
      found.push(`${name(element)} scrolls sideways: ${element.scrollWidth} in ${element.clientWidth}`);
    }
    if ((element.tagName === 'BUTTON' || element.tagName === 'INPUT') && style.visibility !== 'hidden') {
      // A row of a table is pressed as a whole.
      const target = element.classList.contains('a-row-button')
        ? (element.closest('tr') ?? element).getBoundingClientRect()
        : box;
      if (target.width < 47.5 || target.height < 47.5) {
        found.push(
          `${name(element)} is too small to press: ${Math.round(target.width)} × ${Math.round(target.height)}`,
        );
      }
    }
  }
  // The last row of action cards must be full.
  for (const cards of scene.querySelectorAll('.a-action-cards')) {
    const last = cards.lastElementChild?.getBoundingClientRect();
    if (last && cards.getBoundingClientRect().right - last.right > slack)
      found.push(`the last row of ${name(cards)} is not full`);
  }
  const besideEachOther = ['12', '23', '45', '56', '78', '89'];
  const aboveEachOther = ['14', '25', '36', '47', '58', '69', '80'];
  for (const pad of scene.querySelectorAll('.a-pin')) {
    const boxes = new Map<string | undefined, DOMRect>();
    for (const key of pad.querySelectorAll('button')) {
      const words = key.textContent ?? '';
      if (/^\d$/.test(words)) boxes.set(words, key.getBoundingClientRect());
    }
    if (boxes.size !== 10) found.push(`a PIN pad has ${boxes.size} digits`);
    for (const [left, right] of besideEachOther) {
      const [one, other] = [boxes.get(left), boxes.get(right)];
      if (one && other && (one.right > other.left || Math.abs(one.top - other.top) > slack))
        found.push(`${right} is not to the right of ${left}`);
    }
    for (const [upper, lower] of aboveEachOther) {
      const [one, other] = [boxes.get(upper), boxes.get(lower)];
      if (one && other && (one.bottom > other.top || Math.abs(one.left - other.left) > slack))
        found.push(`${lower} is not below ${upper}`);
    }
  }
  return found;
}
