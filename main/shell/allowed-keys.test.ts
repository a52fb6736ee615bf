import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAllowedKey } from './allowed-keys';

/** Reads `Ctrl+Shift+I`. */
function press(text: string) {
  const parts = text.split('+').filter((part) => part !== '');
  return {
    key: text.endsWith('++') ? '+' : (parts.at(-1) ?? ''),
    control: parts.includes('Ctrl'),
    alt: parts.includes('Alt'),
    meta: parts.includes('Meta'),
  };
}

describe('the keys that may reach a page', () => {
  it.each([
    ...['a', 'Z', '7', 'é', 'ß', '漢', '😀', ' ', '/', '@'],
    ...['Tab', 'Enter', 'Escape', 'Backspace', 'Delete', 'ArrowLeft', 'PageDown', 'Home', 'Shift', 'Dead'],
    ...['Ctrl+c', 'Ctrl+V', 'Ctrl+a', 'Ctrl+z', 'Ctrl+Alt+@', 'Ctrl+Alt+€', 'Ctrl+Alt+{'],
  ])('%s', (text) => expect(isAllowedKey(press(text))).toBe(true));
  it('the plus sign', () =>
    expect(isAllowedKey({ key: '+', control: false, alt: false, meta: false })).toBe(true));
});

describe('the keys that must not reach a page', () => {
  it.each([
    ...Array.from({ length: 24 }, (_, index) => `F${index + 1}`),
    ...['Ctrl+n', 'Ctrl+t', 'Ctrl+w', 'Ctrl+q', 'Ctrl+r', 'Ctrl+R', 'Ctrl+p', 'Ctrl+s', 'Ctrl+o', 'Ctrl+u'],
    ...['Ctrl+f', 'Ctrl+g', 'Ctrl+h', 'Ctrl+j', 'Ctrl+k', 'Ctrl+l', 'Ctrl+d', 'Ctrl+I', 'Ctrl+J', 'Ctrl+C+i'],
    ...['Ctrl++', 'Ctrl+-', 'Ctrl+0', 'Ctrl+Tab', 'Ctrl+F4', 'Ctrl+Escape', 'Ctrl+Enter', 'Ctrl+Delete'],
    ...['Alt+F4', 'Alt+Tab', 'Alt+ArrowLeft', 'Alt+Home', 'Alt+d', 'Alt+Enter', 'Alt+ ', 'Alt+Escape'],
    ...['Ctrl+Alt+Delete', 'Ctrl+Alt+Backspace', 'Ctrl+Alt+t', 'Ctrl+Alt+F1', 'Meta', 'Meta+d', 'Meta+l'],
    ...['ContextMenu', 'BrowserBack', 'BrowserHome', 'BrowserSearch', 'LaunchMail', 'LaunchApplication1'],
    ...['PrintScreen', 'Power', 'Sleep', 'ZoomIn', 'Help', 'Find', 'Print', 'Open', 'Close', 'New', 'Insert'],
  ])('%s', (text) => expect(isAllowedKey(press(text))).toBe(false));

  it('all keys with Meta, and all with Alt except third-level characters', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.boolean(), fc.boolean(), (key, control, alt) => {
        expect(isAllowedKey({ key, control, alt, meta: true })).toBe(false);
        if (/^[a-z0-9]+$/i.test(key) && key !== 'Alt' && key !== 'Shift')
          expect(isAllowedKey({ key, control, alt: true, meta: false })).toBe(false);
      }),
    );
  });
});
