-- A record's reports lie in the table of documents already: reports are their ids in order, parted by commas, and record is without them.
-- NULL in rows from before this step: there record holds its reports itself.
ALTER TABLE verdict ADD COLUMN reports TEXT;
