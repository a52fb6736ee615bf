import { createStore } from 'zustand/vanilla';
import type { LinkFrame } from '../../shared/link';
import type { NativeCardContent } from '../../shared/native';
import type { Announcement, GuestCommand } from '../../shared/stage';
import type { Fit } from './backdrop';
import type { EachLayer, LayerIndex } from './stage-state';

/** px. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A banner of markup in the frame of a card. */
export interface Banner {
  readonly url: string;
  readonly partition: string;
  /** What it is laid out for, px. */
  readonly size: Size;
}

/** What one of the stage's layers holds. */
export type LayerContent =
  | { readonly kind: 'nothing' }
  /** Null: not loaded yet. */
  | { readonly kind: 'still' | 'image' | 'video'; readonly fit: Fit | null }
  | { readonly kind: 'page'; readonly url: string; readonly partition: string }
  | {
      readonly kind: 'card';
      readonly content: NativeCardContent;
      readonly language: string;
      /** What its frame holds; null: nothing, or nothing yet. */
      readonly framed: 'video' | Banner | null;
      /** Of its picture, if that does not move; they are gone once the card is drawn. */
      readonly pixels: ImageBitmap | null;
    };

/** Everything that the page shows. */
export interface View {
  layers: EachLayer<LayerContent>;
  card: { kind: 'none' } | { kind: 'brand' } | { kind: 'message'; title: string; text: string };
  /** What an ad's tap led to, over everything. */
  link: LinkFrame | null;
  /** The fleet operator's message, over that. */
  announcement: Announcement | null;
  /** The admin overlay, or its maintenance card, lies over the stage. */
  covered: boolean;
  rotation: 0 | 90 | 180 | 270;
  /** Of what shoppers read, as the settings say. */
  language: string;
  /** Guests of JavaScript beacons. */
  guests: ReadonlyArray<Extract<GuestCommand, { type: 'open' }>>;
}

export const NOTHING: LayerContent = { kind: 'nothing' };

export const view = createStore<View>(() => ({
  layers: [NOTHING, NOTHING, NOTHING],
  card: { kind: 'none' },
  link: null,
  announcement: null,
  covered: false,
  rotation: 0,
  language: 'en',
  guests: [],
}));

export function holdInLayer(layer: LayerIndex, content: LayerContent): void {
  view.setState(({ layers: [first, second, third] }) => ({
    layers: [layer === 0 ? content : first, layer === 1 ? content : second, layer === 2 ? content : third],
  }));
}
