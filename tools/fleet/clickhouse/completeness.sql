-- Completeness: whether every number of each kiosk's sequence is there. `missing` 0 proves that no play is missing.
-- The same statement for 18.16 and later. `missing-ranges.sql` lists which ones, and why.
--
-- Kiosks from {fromKiosk} up to {toKiosk}, as in billing.sql.
-- The numbers that a manifest speaks of count as expected even where its rows are not there.
-- So do numbers that a manifest says are set aside.
-- `firstSeq` above 1: earlier rows have been dropped from the table, or never came.
SELECT
    kiosk,
    epoch,
    min(if(
        kind = 'segment',
        arrayReduce('min', arrayPushBack(arrayMap(low -> toUInt64(low), extractAll(setAside, '"first":([0-9]+)')), `first`)),
        seq
    )) AS firstSeq,
    max(seq) AS lastSeq,
    uniqExactIf(seq, kind = 'play') AS present,
    lastSeq - firstSeq + 1 - present AS missing,
    present / (lastSeq - firstSeq + 1) AS complete,
    uniqExactIf(seq, kind = 'segment') AS segments
FROM plays
WHERE kiosk >= {fromKiosk:String} AND kiosk < {toKiosk:String}
GROUP BY kiosk, epoch
ORDER BY missing DESC, kiosk, epoch
