import { config } from 'zod/mini';
import en from 'zod/v4/locales/en.js';

// What a start loads is checked with the small half of zod: three processes make the same contracts at
// once, in less than half the time, and compile half the code. It has the same schemas as functions, and no words
// for faults of its own. Where much is read, and nothing waits for the library, all of zod reads faster.
config(en());

export * as z from 'zod/mini';
