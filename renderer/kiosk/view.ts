import { createStore } from 'zustand/vanilla';
import type { LinkFrame } from '../../shared/link';

/** What lies over the stage's layers, and how the screen is turned. */
export interface View {
  card: { kind: 'none' } | { kind: 'brand' } | { kind: 'message'; title: string; text: string };
  /** What an ad's tap led to, over everything. */
  link: LinkFrame | null;
  /** The admin overlay, or its maintenance card, lies over the stage. */
  covered: boolean;
  rotation: 0 | 90 | 180 | 270;
  /** Of what shoppers read, as the settings say. */
  language: string;
}

export const view = createStore<View>(() => ({
  card: { kind: 'none' },
  link: null,
  covered: false,
  rotation: 0,
  language: 'en',
}));
