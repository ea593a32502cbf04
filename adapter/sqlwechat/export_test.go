package sqlwechat

import "strings"

// Schema is what Migrate makes in a dialect, without the lock around it.
func Schema(d Dialect) (statements []string) {
	s, err := d.statements(defaultTable)
	if err != nil {
		return nil
	}
	for _, statement := range s.schema {
		if strings.HasPrefix(statement, "CREATE ") {
			statements = append(statements, statement)
		}
	}
	return statements
}
