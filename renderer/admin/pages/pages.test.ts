import { expect, it } from 'vitest';
import { OVERLAY_PAGES } from '../../../shared/admin';
import { PAGES } from './pages';

it('every page of the list has a folder, and every folder is in the list', () => {
  const folders = Object.keys(import.meta.glob('./*/*-page.tsx'));
  expect(folders.sort()).toEqual(OVERLAY_PAGES.map((name) => `./${name}/${name}-page.tsx`).sort());
  expect([...PAGES.keys()]).toEqual(OVERLAY_PAGES);
});
