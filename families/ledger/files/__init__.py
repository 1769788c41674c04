"""The files of a case: their content, the writer, the reader."""
