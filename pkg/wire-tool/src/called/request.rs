//! The parts of a request that are looked at.

/// A request as it came, before anything in it is believed.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The method.
    pub method: &'a str,
    /// Path and query, exactly as they came.
    pub path: &'a str,
    /// The headers, names in lower case.
    pub headers: &'a [(String, String)],
    /// The body, exactly as it came.
    pub body: &'a [u8],
}

/// A header that two readers could read differently.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the header {name} stands there more than once")]
pub struct HeaderError {
    /// Its name.
    pub name: String,
}

impl<'a> Request<'a> {
    /// Returns the value of a header, `None` when it is not there.
    ///
    /// # Errors
    ///
    /// [`HeaderError`] when it is there twice: whoever is before us may have read the other one.
    ///
    /// ```
    /// use manos_wire_tool::called::Request;
    /// let headers = [("x-a".to_owned(), "1".to_owned())];
    /// let request = Request { method: "POST", path: "/", headers: &headers, body: b"" };
    /// assert_eq!(request.header("X-A"), Ok(Some("1")));
    /// ```
    pub fn header(&self, name: &str) -> Result<Option<&'a str>, HeaderError> {
        let mut found = None;
        for (known, value) in self.headers {
            if !known.eq_ignore_ascii_case(name) {
                continue;
            }
            if found.is_some() {
                return Err(HeaderError { name: name.to_owned() });
            }
            found = Some(value.trim());
        }
        Ok(found)
    }
}
