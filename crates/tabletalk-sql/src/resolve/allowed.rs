//! Which expressions can be written. Every kind that the parser knows is named here, and no match has an
//! arm for the rest: a kind that a later version of the parser adds does not compile until it is judged.

use super::refused;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CeilFloorKind, DataType, DateTimeField, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArguments, UnaryOperator, Value,
};
use tabletalk_core::Result;

/// Refuses an expression of a kind that is not allowed. What is inside of it is not looked at.
pub(super) fn expression(expr: &Expr) -> Result<()> {
    match expr {
        Expr::Identifier(_)
        | Expr::CompoundIdentifier(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotUnknown(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Between { .. }
        | Expr::Like { any: false, .. }
        | Expr::ILike { any: false, .. }
        | Expr::SimilarTo { .. }
        | Expr::Extract { .. }
        | Expr::Position { .. }
        | Expr::Substring { .. }
        | Expr::Trim { .. }
        | Expr::Nested(_)
        | Expr::Case { .. }
        | Expr::Exists { .. }
        | Expr::Subquery(_)
        | Expr::GroupingSets(_)
        | Expr::Cube(_)
        | Expr::Rollup(_)
        | Expr::Interval(_) => Ok(()),
        Expr::BinaryOp { op, .. } => binary(op),
        Expr::UnaryOp { op, .. } => unary(op),
        Expr::Value(literal) => value(&literal.value),
        Expr::TypedString(typed) => data_type(&typed.data_type).and_then(|()| value(&typed.value.value)),
        Expr::Cast { data_type: to, array: false, format: None, .. } => data_type(to),
        Expr::Function(called) => function(called),
        Expr::Ceil { field, .. } | Expr::Floor { field, .. } => match field {
            CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) => Ok(()),
            CeilFloorKind::DateTimeField(_) | CeilFloorKind::Scale(_) => Err(refused("CEIL or FLOOR TO")),
        },
        Expr::AtTimeZone { time_zone, .. } if matches!(**time_zone, Expr::Value(_)) => Ok(()),
        Expr::AnyOp { right, compare_op, .. } | Expr::AllOp { right, compare_op, .. }
            if matches!(**right, Expr::Subquery(_)) =>
        {
            binary(compare_op)
        }
        other => Err(refused(unknown(other))),
    }
}

/// What an expression is called that is not allowed, or not in this form.
fn unknown(expr: &Expr) -> &'static str {
    match expr {
        Expr::Like { .. } | Expr::ILike { .. } => "LIKE ANY",
        Expr::Cast { .. } => "this form of CAST",
        Expr::AtTimeZone { .. } => "a time zone that is not written out",
        Expr::AnyOp { .. } | Expr::AllOp { .. } => "ANY or ALL without a subquery",
        Expr::CompoundFieldAccess { .. } | Expr::JsonAccess { .. } => "access to a part of a value",
        Expr::IsNormalized { .. } => "IS NORMALIZED",
        Expr::InUnnest { .. } => "IN UNNEST",
        Expr::RLike { .. } => "RLIKE",
        Expr::Convert { .. } => "CONVERT",
        Expr::Overlay { .. } => "OVERLAY",
        Expr::Collate { .. } => "COLLATE",
        Expr::Prefixed { .. } => "a text with a prefix",
        Expr::Tuple(_) => "a list of values in parentheses",
        Expr::Struct { .. } | Expr::Named { .. } => "a structure",
        Expr::Dictionary(_) | Expr::Map(_) => "a dictionary",
        Expr::Array(_) => "an array",
        Expr::MatchAgainst { .. } => "MATCH AGAINST",
        Expr::Wildcard(_) | Expr::QualifiedWildcard(..) => "`*` in an expression",
        Expr::OuterJoin(_) => "(+)",
        Expr::Prior(_) => "PRIOR",
        Expr::Lambda(_) => "a lambda",
        Expr::MemberOf(_) => "MEMBER OF",
        // Allowed above, and named so that there is no arm for the rest.
        Expr::Identifier(_)
        | Expr::CompoundIdentifier(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotUnknown(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Between { .. }
        | Expr::BinaryOp { .. }
        | Expr::SimilarTo { .. }
        | Expr::UnaryOp { .. }
        | Expr::Extract { .. }
        | Expr::Ceil { .. }
        | Expr::Floor { .. }
        | Expr::Position { .. }
        | Expr::Substring { .. }
        | Expr::Trim { .. }
        | Expr::Nested(_)
        | Expr::Value(_)
        | Expr::TypedString(_)
        | Expr::Function(_)
        | Expr::Case { .. }
        | Expr::Exists { .. }
        | Expr::Subquery(_)
        | Expr::GroupingSets(_)
        | Expr::Cube(_)
        | Expr::Rollup(_)
        | Expr::Interval(_) => "this expression",
    }
}

fn binary(op: &BinaryOperator) -> Result<()> {
    use BinaryOperator as B;
    match op {
        B::Plus | B::Minus | B::Multiply | B::Divide | B::Modulo | B::StringConcat => Ok(()),
        B::Gt | B::Lt | B::GtEq | B::LtEq | B::Spaceship | B::Eq | B::NotEq | B::And | B::Or => Ok(()),
        B::BitwiseOr | B::BitwiseAnd | B::BitwiseXor | B::PGBitwiseXor => Ok(()),
        B::PGBitwiseShiftLeft | B::PGBitwiseShiftRight => Ok(()),
        B::PGRegexMatch | B::PGRegexIMatch | B::PGRegexNotMatch | B::PGRegexNotIMatch => Ok(()),
        B::PGLikeMatch | B::PGILikeMatch | B::PGNotLikeMatch | B::PGNotILikeMatch => Ok(()),
        B::Xor
        | B::DuckIntegerDivide
        | B::MyIntegerDivide
        | B::Match
        | B::Regexp
        | B::Custom(_)
        | B::PGExp
        | B::PGOverlap
        | B::PGStartsWith
        | B::Arrow
        | B::LongArrow
        | B::HashArrow
        | B::HashLongArrow
        | B::AtAt
        | B::AtArrow
        | B::ArrowAt
        | B::HashMinus
        | B::AtQuestion
        | B::Question
        | B::QuestionAnd
        | B::QuestionPipe
        | B::PGCustomBinaryOperator(_)
        | B::Overlaps
        | B::DoubleHash
        | B::LtDashGt
        | B::AndLt
        | B::AndGt
        | B::LtLtPipe
        | B::PipeGtGt
        | B::AndLtPipe
        | B::PipeAndGt
        | B::LtCaret
        | B::GtCaret
        | B::QuestionHash
        | B::QuestionDash
        | B::QuestionDashPipe
        | B::QuestionDoublePipe
        | B::At
        | B::TildeEq
        | B::Assignment => Err(refused(&format!("the operator `{op}`"))),
    }
}

fn unary(op: &UnaryOperator) -> Result<()> {
    use UnaryOperator as U;
    match op {
        U::Plus | U::Minus | U::Not => Ok(()),
        U::AtDashAt
        | U::BangNot
        | U::BitwiseNot
        | U::DoubleAt
        | U::Hash
        | U::PGAbs
        | U::PGCubeRoot
        | U::PGPostfixFactorial
        | U::PGPrefixFactorial
        | U::PGSquareRoot
        | U::QuestionDash
        | U::QuestionPipe => Err(refused(&format!("the operator `{op}`"))),
    }
}

fn value(value: &Value) -> Result<()> {
    match value {
        Value::Number(..)
        | Value::SingleQuotedString(_)
        | Value::DollarQuotedString(_)
        | Value::EscapedStringLiteral(_)
        | Value::UnicodeStringLiteral(_)
        | Value::NationalStringLiteral(_)
        | Value::DoubleQuotedString(_)
        | Value::Boolean(_)
        | Value::Null => Ok(()),
        Value::Placeholder(_) => Err(refused("a placeholder")),
        Value::TripleSingleQuotedString(_)
        | Value::TripleDoubleQuotedString(_)
        | Value::SingleQuotedByteStringLiteral(_)
        | Value::DoubleQuotedByteStringLiteral(_)
        | Value::TripleSingleQuotedByteStringLiteral(_)
        | Value::TripleDoubleQuotedByteStringLiteral(_)
        | Value::SingleQuotedRawStringLiteral(_)
        | Value::DoubleQuotedRawStringLiteral(_)
        | Value::TripleSingleQuotedRawStringLiteral(_)
        | Value::TripleDoubleQuotedRawStringLiteral(_)
        | Value::QuoteDelimitedStringLiteral(_)
        | Value::NationalQuoteDelimitedStringLiteral(_)
        | Value::HexStringLiteral(_) => Err(refused("this way to write a text")),
    }
}

fn data_type(data_type: &DataType) -> Result<()> {
    use DataType as D;
    match data_type {
        D::Character(_) | D::Char(_) | D::CharacterVarying(_) | D::CharVarying(_) | D::Varchar(_) => Ok(()),
        D::Nvarchar(_) | D::Text | D::TinyText | D::MediumText | D::LongText | D::String(_) => Ok(()),
        D::Numeric(_) | D::Decimal(_) | D::DecimalUnsigned(_) | D::Dec(_) | D::DecUnsigned(_) => Ok(()),
        D::BigNumeric(_) | D::BigDecimal(_) => Ok(()),
        D::Float(_) | D::FloatUnsigned(_) | D::Float4 | D::Float8 | D::Float32 | D::Float64 => Ok(()),
        D::Real | D::RealUnsigned | D::Double(_) | D::DoubleUnsigned(_) => Ok(()),
        D::DoublePrecision | D::DoublePrecisionUnsigned => Ok(()),
        D::TinyInt(_) | D::TinyIntUnsigned(_) | D::UTinyInt | D::Int2(_) | D::Int2Unsigned(_) => Ok(()),
        D::SmallInt(_) | D::SmallIntUnsigned(_) | D::USmallInt | D::MediumInt(_) => Ok(()),
        D::MediumIntUnsigned(_) | D::Int(_) | D::Int4(_) | D::Int8(_) | D::Int16 | D::Int32 => Ok(()),
        D::Int64 | D::Int128 | D::Int256 | D::Integer(_) | D::IntUnsigned(_) | D::Int4Unsigned(_) => Ok(()),
        D::IntegerUnsigned(_) | D::HugeInt | D::UHugeInt | D::UInt8 | D::UInt16 | D::UInt32 => Ok(()),
        D::UInt64 | D::UInt128 | D::UInt256 | D::BigInt(_) | D::BigIntUnsigned(_) | D::UBigInt => Ok(()),
        D::Int8Unsigned(_) | D::Signed | D::SignedInteger | D::Unsigned | D::UnsignedInteger => Ok(()),
        D::Bool | D::Boolean | D::Date | D::Date32 | D::Time(..) | D::Datetime(_) => Ok(()),
        D::Datetime64(..) | D::Timestamp(..) | D::TimestampNtz(_) | D::Interval { .. } => Ok(()),
        D::Table(_)
        | D::NamedTable { .. }
        | D::Uuid
        | D::CharacterLargeObject(_)
        | D::CharLargeObject(_)
        | D::Clob(_)
        | D::Binary(_)
        | D::Varbinary(_)
        | D::Blob(_)
        | D::TinyBlob
        | D::MediumBlob
        | D::LongBlob
        | D::Bytes(_)
        | D::JSON
        | D::JSONB
        | D::Regclass
        | D::FixedString(_)
        | D::Bytea
        | D::Bit(_)
        | D::BitVarying(_)
        | D::VarBit(_)
        | D::Custom(..)
        | D::Array(_)
        | D::Map(..)
        | D::Tuple(_)
        | D::Nested(_)
        | D::Enum(..)
        | D::Set(_)
        | D::Struct(..)
        | D::Union(_)
        | D::Nullable(_)
        | D::LowCardinality(_)
        | D::Unspecified
        | D::Trigger
        | D::AnyType
        | D::GeometricType(_)
        | D::TsVector
        | D::TsQuery => Err(refused(&format!("the type {}", super::first_word(&data_type.to_string())))),
    }
}

fn function(function: &Function) -> Result<()> {
    let Function {
        name: _,
        uses_odbc_syntax,
        parameters,
        args,
        filter: _,
        null_treatment: _,
        over: _,
        within_group: _,
    } = function;
    if *uses_odbc_syntax || !matches!(parameters, FunctionArguments::None) {
        return Err(refused("this form of a call"));
    }
    match args {
        FunctionArguments::None => Ok(()),
        FunctionArguments::Subquery(_) => Err(refused("a query as an argument")),
        FunctionArguments::List(list) => {
            list.args.iter().try_for_each(argument)?;
            list.clauses.iter().try_for_each(clause)
        }
    }
}

fn argument(arg: &FunctionArg) -> Result<()> {
    match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(_) | FunctionArgExpr::Wildcard) => Ok(()),
        FunctionArg::Unnamed(
            FunctionArgExpr::QualifiedWildcard(_) | FunctionArgExpr::WildcardWithOptions(_),
        ) => Err(refused("this form of `*`")),
        FunctionArg::Named { .. } | FunctionArg::ExprNamed { .. } => Err(refused("a named argument")),
    }
}

fn clause(clause: &FunctionArgumentClause) -> Result<()> {
    use FunctionArgumentClause as C;
    match clause {
        C::IgnoreOrRespectNulls(_) | C::OrderBy(_) | C::Separator(_) => Ok(()),
        C::Limit(_) => Err(refused("LIMIT in a call")),
        C::OnOverflow(_) => Err(refused("ON OVERFLOW")),
        C::Having(_) => Err(refused("HAVING in a call")),
        C::JsonNullClause(_) | C::JsonReturningClause(_) => Err(refused("a clause for JSON")),
    }
}
