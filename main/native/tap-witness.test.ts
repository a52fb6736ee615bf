import { describe, expect, it } from 'vitest';
import { createTapWitness } from './tap-witness';

describe('a click (rule 18)', () => {
  it('counts once if main saw its tap', () => {
    const witness = createTapWitness();
    witness.saw('mouseDown', 1000);
    witness.saw('mouseUp', 1080);
    expect(witness.claim(1090)).toBe(true);
    expect(witness.claim(1095)).toBe(false);
  });

  it('does not count without a touch', () => {
    const witness = createTapWitness();
    expect(witness.claim(1000)).toBe(false);
    for (const type of ['mouseMove', 'mouseEnter', 'keyDown', 'touchStart', 'gestureTapDown'])
      witness.saw(type, 1000);
    expect(witness.claim(1001)).toBe(false);
  });

  it('counts a touch and the mouse events that the browser makes of it as one tap', () => {
    const witness = createTapWitness();
    for (const type of ['touchStart', 'gestureTapDown', 'touchEnd', 'gestureTap']) witness.saw(type, 1000);
    for (const type of ['mouseMove', 'mouseDown', 'mouseUp']) witness.saw(type, 1010);
    expect(witness.claim(1020)).toBe(true);
    expect(witness.claim(1030)).toBe(false);
  });

  it('counts a touch whose gesture the page prevents', () => {
    const witness = createTapWitness();
    witness.saw('touchStart', 1000);
    expect(witness.claim(1010)).toBe(false);
    witness.saw('touchEnd', 1080);
    expect(witness.claim(1081)).toBe(true);
    for (const type of ['gestureTap', 'mouseDown', 'mouseUp']) witness.saw(type, 1400);
    expect(witness.claim(1401)).toBe(false);
  });

  it('counts once for a touch whose gesture comes late, because the page is busy', () => {
    const witness = createTapWitness();
    witness.saw('touchStart', 1000);
    witness.saw('touchEnd', 1080);
    expect(witness.claim(1081)).toBe(true);
    for (const type of ['gestureTap', 'mouseDown', 'mouseUp']) witness.saw(type, 2500);
    expect(witness.claim(2501)).toBe(false);
    witness.saw('touchStart', 3000);
    witness.saw('touchEnd', 3080);
    expect(witness.claim(3081)).toBe(true);
  });

  it.each(['touchMove', 'touchCancel', 'touchScrollStarted', 'gestureScrollBegin', 'gestureLongPress'])(
    'does not count a touch with %s',
    (type) => {
      const witness = createTapWitness();
      witness.saw('touchStart', 1000);
      witness.saw(type, 1040);
      witness.saw('touchEnd', 1080);
      expect(witness.claim(1081)).toBe(false);
    },
  );

  it('does not count a long touch', () => {
    const witness = createTapWitness();
    witness.saw('touchStart', 1000);
    witness.saw('touchEnd', 1701);
    expect(witness.claim(1702)).toBe(false);
  });

  it('counts once for a double tap', () => {
    const witness = createTapWitness();
    witness.saw('mouseUp', 1000);
    expect(witness.claim(1005)).toBe(true);
    witness.saw('mouseUp', 1180);
    expect(witness.claim(1185)).toBe(false);
  });

  it('counts once for several fingers', () => {
    const witness = createTapWitness();
    for (const type of ['touchStart', 'touchStart', 'gestureTap', 'touchEnd', 'gestureTap', 'touchEnd'])
      witness.saw(type, 1000);
    expect(witness.claim(1005)).toBe(true);
    expect(witness.claim(1010)).toBe(false);
  });

  it('counts when a busy page reports it some seconds after its tap', () => {
    const witness = createTapWitness();
    witness.saw('mouseUp', 1000);
    expect(witness.claim(4500)).toBe(true);
  });

  it('counts only soon after its tap', () => {
    const witness = createTapWitness();
    witness.saw('mouseUp', 1000);
    expect(witness.claim(6001)).toBe(false);
  });

  it('counts again with the next tap', () => {
    const witness = createTapWitness();
    witness.saw('mouseUp', 1000);
    expect(witness.claim(1001)).toBe(true);
    witness.saw('mouseUp', 2000);
    expect(witness.claim(2001)).toBe(true);
  });
});
