/** Where the lower third of a stage begins, as a fraction of its height. Not everybody reaches above it. */
export const REACH_LINE = 2 / 3;

/** Runs in the page. Returns the buttons that begin above the line, one sentence each. */
export function outOfReach(line: number): string[] {
  return [...document.querySelectorAll('button')]
    .filter((button) => button.checkVisibility({ visibilityProperty: true }))
    .map((button) => ({ name: button.className, top: button.getBoundingClientRect().top }))
    .filter(({ top }) => top < line * innerHeight)
    .map(({ name, top }) => `${name} begins at ${Math.round(top)} of ${innerHeight}`);
}

/** Runs in the page. Draws the line over it; null removes the line. */
export function drawReachLine(line: number | null): void {
  document.querySelector('#reach-line')?.remove();
  if (line === null) return;
  const drawn = document.createElement('hr');
  drawn.id = 'reach-line';
  Object.assign(drawn.style, {
    position: 'fixed',
    zIndex: '99',
    top: `${line * 100}%`,
    left: '0',
    width: '100%',
    margin: '0',
    border: '0',
    borderTop: '3px dashed #ff4060',
  });
  document.body.append(drawn);
}

/** Runs in the page. Returns visible texts smaller than `least`, in hundredths of the stage's shorter side. */
export function smallTexts(least: number): string[] {
  const unit = Math.min(innerWidth, innerHeight) / 100;
  return [...document.querySelectorAll('main *, #root *')]
    .filter((element) =>
      [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()),
    )
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .map((element) => ({ element, size: Number.parseFloat(getComputedStyle(element).fontSize) / unit }))
    .filter(({ size }) => size < least - 0.01)
    .map(({ element, size }) => `${element.className}: ${size.toFixed(2)}`);
}
