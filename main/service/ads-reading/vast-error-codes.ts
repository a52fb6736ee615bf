/** VAST 4.2 error codes (section 2.3.6.3) of what can go wrong before anything is shown. */
export const VAST_ERROR = {
  /** XML that cannot be read, or not what VAST and its metadata ask for. */
  unreadable: 101,
  wrapper: 300,
  /** The document of a wrapper was unavailable, or did not come in time. */
  wrapperTimeout: 301,
  /** Too many wrappers, a loop included. */
  wrapperLimit: 302,
  noAd: 303,
  mediaNotFound: 401,
  /** No media file of a type that can be shown. */
  noMedia: 403,
} as const;
