-- Silent kiosks: who has sent nothing in the hour before {at}, longest silence first.
-- The same statement for 18.16 and later. `proof.everySeconds` above 1800 needs a longer bound here.
--
-- A segment counts from when it was made, and from when it arrived, whichever is earlier: a kiosk whose clock
-- is ahead neither hides its silence nor looks silent.
SELECT
    kiosk,
    toString(max(least(receivedAt, time)), 'UTC') AS lastSent,
    toInt64(toUInt32(parseDateTimeBestEffort({at:String}, 'UTC'))) - toInt64(toUInt32(max(least(receivedAt, time)))) AS silentSeconds,
    max(madeAt) AS lastMade
FROM plays
WHERE kind = 'segment' AND least(receivedAt, time) <= parseDateTimeBestEffort({at:String}, 'UTC')
GROUP BY kiosk
HAVING silentSeconds >= 3600
ORDER BY silentSeconds DESC, kiosk
