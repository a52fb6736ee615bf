import { ratingText, stringsFor } from './strings';

const STAR = 'M12 2.2l3 6.1 6.8 1-4.9 4.7 1.2 6.7L12 17.5l-6.1 3.2 1.2-6.7L2.2 9.3l6.8-1z';
const HALF_STAR = 'M12 2.2L9 8.3l-6.8 1 4.9 4.7-1.2 6.7L12 17.5z';

/** `rating` 0 to 5, drawn in half steps. */
export function StarRating({ rating, language }: { rating: number; language: string }) {
  const halves = halfStars(rating);
  const text = ratingText(rating, language);
  return (
    <p className="native-rating ad-line">
      <svg
        className="native-stars"
        viewBox="0 0 136 24"
        role="img"
        aria-label={stringsFor(language).rating(text)}
      >
        {[0, 1, 2, 3, 4].map((star) => (
          <g key={star} transform={`translate(${star * 28} 0)`}>
            <path fill="#ffffff26" d={STAR} />
            {halves > star * 2 && (
              <path fill="var(--accent)" d={halves === star * 2 + 1 ? HALF_STAR : STAR} />
            )}
          </g>
        ))}
      </svg>
      <span aria-hidden="true">{text}</span>
    </p>
  );
}

/** Halves of stars to fill, 0 to 10. */
export function halfStars(rating: number): number {
  return Math.min(10, Math.max(0, Math.round(rating * 2)));
}
