import type { ComponentType } from 'react';
import { OVERLAY_PAGES, type OverlayLanguage, type OverlayPageName } from '../../../shared/admin';
import type { IconName } from '../parts/icon';

/**
 * A page of the overlay, which `pages/NAME/NAME-page.tsx` exports as `page`. Its calls to main are in
 * `shared/admin.ts`.
 */
export interface OverlayPage {
  readonly icon: IconName;
  readonly words: (of: { readonly language: OverlayLanguage }) => {
    readonly name: string;
    /** Shorter, for the navigation. */
    readonly tab?: string;
  };
  readonly Page: ComponentType;
}

const FOLDERS = import.meta.glob<{ readonly page: OverlayPage }>('./*/*-page.tsx', { eager: true });

/** The pages by name, in their order. Throws for a name of the list without a folder. */
export const PAGES: ReadonlyMap<OverlayPageName, OverlayPage> = new Map(
  OVERLAY_PAGES.map((name) => {
    const found = FOLDERS[`./${name}/${name}-page.tsx`];
    if (found === undefined) throw new Error(`renderer/admin/pages/${name}/${name}-page.tsx is missing`);
    return [name, found.page];
  }),
);
